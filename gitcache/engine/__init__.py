"""The use cases, told in the words of the design."""
