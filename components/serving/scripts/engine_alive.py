"""Whether a vLLM API server and its engines live: ends with 0 if they do.

The API server answers /health from a flag, also while an engine hangs. An engine that works moves its own series with every step: the
share of its KV cache with each piece of a prompt, the tokens of answers; one that embeds or ranks finishes requests. One that has requests,
running or waiting, and moves none of these for long enough hangs.

Arguments: port of the API server, file that keeps what was seen, seconds without a step that are a hang, and what else of the pod must
answer 200, as port/path. Python's own library only.
"""

import json
import re
import sys
import time
import urllib.error
import urllib.request

REQUESTS = ("num_requests_running", "num_requests_waiting")
STEPS = ("kv_cache_usage_perc", "generation_tokens_total", "prompt_tokens_total", "request_success_total")
SERIES = re.compile(rf"^vllm:({'|'.join(REQUESTS + STEPS)})\{{([^}}]*)\}} (\S+)$", re.MULTILINE)
ENGINE = re.compile(r'(?:^|,)engine="([^"]*)"')

# Never through a proxy of the environment.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def get(place, seconds=4):
    """Text of a page of this pod, by its port/path."""
    with OPENER.open(f"http://127.0.0.1:{place}", timeout=seconds) as answer:
        return answer.read().decode()


def engines(metrics):
    """Sums by series, of each engine of the server: finished requests have a series for each reason."""
    found = {}
    for name, labels, value in SERIES.findall(metrics):
        engine = ENGINE.search(labels)
        values = found.setdefault(engine.group(1) if engine else "", {})
        values[name] = values.get(name, 0) + float(value)
    return found


def kept(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def main(port, state, seconds, others):
    get(f"{port}/health")
    for place in others:
        try:
            get(place, 10)
        except urllib.error.HTTPError as error:
            sys.exit(f"{place}: {error.read().decode()}")
    now = time.monotonic()
    before = kept(state)
    after = {}
    for engine, values in engines(get(f"{port}/metrics")).items():
        if not all(name in values for name in STEPS):
            continue
        steps = [values[name] for name in STEPS]
        seen = before.get(engine)
        # Another boot has another clock.
        asked = any(values.get(name, 0) > 0 for name in REQUESTS)
        stands = asked and seen and seen["steps"] == steps and seen["since"] <= now
        after[engine] = seen if stands else {"steps": steps, "since": now}
    with open(state, "w", encoding="utf-8") as file:
        json.dump(after, file)
    hung = [engine for engine, seen in after.items() if now - seen["since"] > seconds]
    if hung:
        sys.exit(f"engine {', '.join(hung)}: requests wait or run, and no step for {seconds:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4:])
