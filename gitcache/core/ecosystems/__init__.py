"""What each kind of project calls its tools, one small file an ecosystem.

Every module here gives values of :class:`gitcache.core.ecosystems.ecosystem.Ecosystem`, and the
table in :mod:`gitcache.core.detect` puts them in order. No module here knows another ecosystem.
"""
