"""The server that the pictures are fetched from: an nginx of our own, on a free port of loopback."""
import contextlib
import os
import pathlib
import shutil
import socket
import string
import subprocess
import time

TEMPLATE = pathlib.Path(__file__).parent / "nginx.conf"


@contextlib.contextmanager
def serve(folder):
    """Serves `folder`/../corpus while the context lasts; gives the address, as http://127.0.0.1:PORT."""
    for _ in range(5):
        process, port = start(folder)
        if answers(process, port):
            break
        stop(process)  # someone else took the port in between, or nginx is broken
    else:
        raise SystemExit("nginx did not start:\n" + (folder / "error.log").read_text())
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        stop(process)


def start(folder):
    """A new nginx whose files are in `folder`, and its port."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    configuration = folder.resolve() / "nginx.conf"
    configuration.write_text(string.Template(TEMPLATE.read_text()).substitute(port=port))
    command = ["nginx", "-e", str(folder.resolve() / "error.log"), "-p", str(folder.resolve()), "-c", str(configuration)]
    if os.geteuid() == 0:
        command += ["-g", "user root;"]  # the checkout need not be readable for the user that nginx would become
    return subprocess.Popen(command, stderr=subprocess.DEVNULL), port


def answers(process, port):
    """Whether something listens there within five seconds, and nginx is alive."""
    for _ in range(100):
        time.sleep(0.05)
        if process.poll() is not None:
            return False
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return process.poll() is None
    return False


def stop(process):
    """Ends nginx with its workers."""
    process.terminate()
    process.wait()
