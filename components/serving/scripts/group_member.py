"""Whether the pods of a group over nodes can compute together.

Becomes the command that it is given, and leaves behind a child that answers on a port of the pod:

/       200 where no process of the pod is stopped
/group  200 where that holds, and the pods without which this one is of no use answer /: of a worker its leader, of a leader all workers

A pod that is cut off, stopped as a whole or gone answers nothing. What a process computes, or for how long, is not judged: the child
needs neither the engine nor its interpreter.

Arguments: port, command. Variables: those of LeaderWorkerSet. Python's own library only.
"""

import http.client
import http.server
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

# A lookup of the first name may take as long again: a kubelet's probe waits 10 s.
TIMEOUT_SECONDS = 4

# Where pods were first found: a pod that moves takes its group with it, and a name server that fails must not.
addresses = {}


def peers(environ):
    """Names of the pods without which this one is of no use."""
    leader = environ["LWS_LEADER_ADDRESS"]
    if environ["LWS_WORKER_INDEX"] != "0":
        return [leader]
    pod, dot, domain = leader.partition(".")
    return [f"{pod}-{index}{dot}{domain}" for index in range(1, int(environ["LWS_GROUP_SIZE"]))]


def processes():
    """Parent and state of each process, by its id."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        found[int(entry)] = (int(parent), state)
    return found


def stopped(root):
    """Processes of the command that a signal has stopped."""
    found = processes()
    own = {root}
    while True:
        more = {pid for pid, (parent, _) in found.items() if parent in own} - own
        if not more:
            return sorted(pid for pid in own if found.get(pid, (0, ""))[1] == "T")
        own |= more


def why_silent(name, port):
    """None where a pod answers that it is well."""
    connection = http.client.HTTPConnection(addresses.get(name, name), port, timeout=TIMEOUT_SECONDS)
    try:
        try:
            connection.connect()
            address = connection.sock.getpeername()[0]
            connection.request("GET", "/")
            answer = connection.getresponse()
            text = answer.read(200).decode(errors="replace")
        finally:
            connection.close()
    except (OSError, http.client.HTTPException) as error:
        return f"{name}: {error or type(error).__name__}"
    addresses[name] = address
    return None if answer.status == 200 else f"{name}: {text}"


def problems(path, root, port, others):
    found = [f"process {pid} is stopped" for pid in stopped(root)]
    if path == "/group":
        with ThreadPoolExecutor(len(others)) as pool:
            found += filter(None, pool.map(lambda name: why_silent(name, port), others))
    return found


def serve(root, port):
    others = peers(os.environ)

    class Handler(http.server.BaseHTTPRequestHandler):
        # One that connects and asks nothing holds a thread no longer.
        timeout = TIMEOUT_SECONDS

        def do_GET(self):
            found = problems(self.path, root, port, others)
            body = ("; ".join(found) or "ok").encode()
            self.send_response(503 if found else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            if found and self.path == "/group":
                print(f"group: {body.decode()}", file=sys.stderr, flush=True)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while os.getppid() == root:
        time.sleep(1)


if __name__ == "__main__":
    root = os.getpid()
    if os.fork() == 0:
        serve(root, int(sys.argv[1]))
    else:
        os.execvp(sys.argv[2], sys.argv[2:])
