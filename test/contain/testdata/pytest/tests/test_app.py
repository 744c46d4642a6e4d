import multiprocessing
import subprocess
import sys

from app import total


def test_total(tmp_path):
    (tmp_path / "x").write_text("1")
    (tmp_path / "x").chmod(0o600)
    assert total([1, 2, 3]) == 6


def test_processes():
    with multiprocessing.Pool(2) as pool:
        assert pool.map(abs, [-1, -2]) == [1, 2]
    assert subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, check=True).stdout == b"1\n"
