"""Runs a command and measures it with all processes that it starts: time, CPU time, memory, files."""
import contextlib
import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

import peers

LONGEST = 300  # seconds that a run may take


@dataclasses.dataclass
class Measurement:
    """What one run took: seconds, bytes, files."""
    wall: float
    cpu: float
    memory: int
    first_file: float
    files: int
    status: int


def run(peer, rows, folder):
    """Runs a peer on a list, in an empty folder; its results are in `results` afterwards, what it said in `output`."""
    shutil.rmtree(folder, ignore_errors=True)
    results, work = folder / "results", folder / "work"
    results.mkdir(parents=True)
    work.mkdir()
    command = peer.command(rows, results.resolve(), work.resolve())
    measurement = measure(command, results, folder / "output")
    measurement.files = sum(is_whole(results / f"{row.id}.jpg") for row in rows)
    return measurement


def measure(command, results, output):
    """Runs the command in a session of its own, which is how its processes are known."""
    with open(output, "wb") as file:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=file, stderr=file, stdin=subprocess.DEVNULL, start_new_session=True,
                                   env=os.environ | peers.ENVIRONMENT)
    watch = Watch(process.pid, results, start)
    watch.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)  # with the children it has waited for
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        if process.returncode is None:
            watch.kill()
        watch.end()
    return Measurement(wall=wall, cpu=usage.ru_utime + usage.ru_stime, memory=watch.memory,
                       first_file=watch.first_file or wall, files=0, status=process.returncode)


class Watch(threading.Thread):
    """Looks at a session and a folder from the side: the most memory, the first file."""

    def __init__(self, session, results, start):
        super().__init__()
        self.session, self.results, self.start_time = session, results, start
        self.memory, self.first_file = 0, None
        self.ended = threading.Event()

    def run(self):
        """Memory every 20 ms; the first file, until it is there, every 5 ms."""
        rounds = 0
        while not self.ended.wait(0.02 if self.first_file else 0.005):
            if self.first_file is None and self.has_file():
                self.first_file = time.monotonic() - self.start_time
            if self.first_file or rounds % 4 == 0:
                self.memory = max(self.memory, sum(map(proportional_memory, processes(self.session))))
            if time.monotonic() - self.start_time > LONGEST:
                self.kill()
            rounds += 1

    def has_file(self):
        """Whether a result has something in it."""
        with contextlib.suppress(FileNotFoundError):
            return any(entry.name.endswith(".jpg") and entry.stat().st_size for entry in os.scandir(self.results))
        return False

    def kill(self):
        """Ends the command's processes."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.session, signal.SIGKILL)

    def end(self):
        """Watches no longer."""
        self.ended.set()
        self.join()


def processes(session):
    """The numbers of a session's processes."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                # After the name, which is in parentheses: state, parent, group, session.
                if int(pathlib.Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[3]) == session:
                    yield int(name)


def proportional_memory(process):
    """Bytes of memory of a process; of pages that n processes share, an nth."""
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def is_whole(path):
    """Whether there is a JPEG that begins and ends as one does."""
    try:
        data = path.read_bytes()
    except OSError:
        return False
    return data[:2] == b"\xff\xd8" and data[-2:] == b"\xff\xd9"
