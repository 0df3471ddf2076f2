/**
 * vLLM 0.33.0's HTTP as far as sleeping goes, without its GPU: `vllm serve MODEL --flags`. It reads the flags and variables
 * that it is started with (entrypoints/serve/dev/sleep/api_router.py, entrypoints/launchers/api_server/routers.py), and is
 * stricter in one thing: without `--enable-sleep-mode` it has no routes for sleeping either, where vLLM has them and nothing
 * to free. `GET /asked` tells what it was asked.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { argv, env } from "node:process";

const flags = argv.slice(2);
const flag = (name) => flags.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
const served = flag("--served-model-name");
const tracksLoad = flags.includes("--enable-server-load-tracking");
const maySleep = env.VLLM_SERVER_DEV_MODE === "1" && flags.includes("--enable-sleep-mode");

let sleeping = false;
let requests = 0;
let load = 0;
const asked = [];
/** Calls of requests that wait for it to wake. */
const queue = [];

const answers = {
  "GET /health": () => "",
  "GET /version": () => ({ version: "0.33.0" }),
  "GET /v1/models": () => ({ object: "list", data: [{ id: served, object: "model" }] }),
  "GET /metrics": () =>
    `vllm:request_success_total{engine="0",finished_reason="stop",model_name="${served}"} ${requests}.0\n`,
  "GET /asked": () => asked,
  // Counted by the server before its engine, and only if it is told to (entrypoints/serve/utils/api_utils.py, `load_aware_call`).
  "GET /load": () => ({ server_load: tracksLoad ? load : 0 }),
  // The scheduler queues what comes while it is paused (v1/engine/core.py, `pause_scheduler`); nothing wakes it by itself.
  "POST /v1/chat/completions": async () => {
    load += 1;
    if (sleeping) {
      await new Promise((resolve) => queue.push(resolve));
    }
    load -= 1;
    requests += 1;
    return { choices: [{ message: { role: "assistant", content: "hello" } }] };
  },
  ...(maySleep && {
    "GET /is_sleeping": () => ({ is_sleeping: sleeping }),
    "POST /sleep": (query) => {
      sleeping = true;
      return { status: "sleeping", level: Number(query.get("level") ?? 1) };
    },
    "POST /wake_up": () => {
      sleeping = false;
      for (const resolve of queue.splice(0)) {
        resolve();
      }
      return { status: "awake", tags: null };
    },
  }),
};

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  const answer = answers[`${request.method} ${pathname}`];
  if (pathname !== "/asked") {
    asked.push(`${request.method} ${request.url}`);
  }
  request.resume();
  await once(request, "end");
  const body = answer === undefined ? { detail: "Not Found" } : await answer(searchParams);
  response.writeHead(answer === undefined ? 404 : 200);
  response.end(typeof body === "string" ? body : JSON.stringify(body));
});
server.listen(Number(flag("--port")), "127.0.0.1");
