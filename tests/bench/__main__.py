"""``make bench``: all measurements, as tables."""

from __future__ import annotations

import os
import platform
import subprocess
import tempfile
from pathlib import Path

from rich.console import Console

from tests.bench.bench import Bench
from tests.bench.history import table_of_histories
from tests.bench.hit import table_of_hits
from tests.bench.installed import table_of_looks


def main() -> None:
    """Measure and show."""
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench.in_folder(Path(folder))
        for measured in (table_of_hits, table_of_looks, table_of_histories):
            console.print(measured(bench))
    git = subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout
    machine = f"{platform.system()} {platform.release()} {platform.machine()}"
    console.print(
        f"{machine}, {os.cpu_count()} CPUs; Python {platform.python_version()}; {git.strip()}"
    )


if __name__ == "__main__":
    main()
