"""Every test run compiles into a fresh cache, so that no machine code of earlier sources can take part."""

import os
import shutil
import tempfile

MADE_HERE = "TIMELINE_TWIST_TEST_CACHE" not in os.environ

# Before the first import of timeline_twist; worker processes inherit it and share the folder.
if MADE_HERE:
    os.environ["TIMELINE_TWIST_TEST_CACHE"] = tempfile.mkdtemp(prefix="timeline-twist-tests-")
os.environ["NUMBA_CACHE_DIR"] = os.environ["TIMELINE_TWIST_TEST_CACHE"]


def pytest_unconfigure() -> None:
    if MADE_HERE:
        shutil.rmtree(os.environ["NUMBA_CACHE_DIR"], ignore_errors=True)
