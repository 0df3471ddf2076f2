/** argv: worktree. Lines of stdin: {"kind":"short1"|"short16"|"stream"|"mib"}; a line of JSON for each. */
import { createInterface } from "node:readline";
const root = process.cwd();
const { GatewayStand } = await import(`${root}/rehearsal/cluster/gateway/stand.ts`);
const { waitFor } = await import(`${root}/rehearsal/cluster/wait.ts`);
const { changedRun } = await import(`${root}/test/stacks/run.ts`);
const { Backend, STREAM } = await import(`${root}/test/bench/gateway/backend.ts`);
const { load } = await import(`${root}/test/bench/gateway/load.ts`);
const { resources } = await changedRun("dev", { gateway: { hostname: "inference.example.internal", exposure: "ClusterIP", tls: { kind: "self-signed" }, consumers: ["bench", "other"], maxRequestMiB: 4 } });
const stand = await GatewayStand.start(resources);
const backend = new Backend();
const { server } = await stand.serve("assistant", backend.listener);
server.keepAliveTimeout = 600_000;
const [proxy] = stand.proxies;
const headers = { host: stand.hostname, authorization: `Bearer ${await stand.key("bench")}` };
const to = { host: proxy.address, port: proxy.httpsPort, servername: stand.hostname, ca: stand.ca, headers, path: "/v1/chat/completions" };
const prompt = (n: number, more = {}) => Buffer.from(JSON.stringify({ model: "assistant", messages: [{ role: "user", content: "word ".repeat(n / 5) }], ...more }));
const kinds: any = {
  short1: { body: prompt(200), headers: {}, size: { requests: 30, connections: 1 } },
  short16: { body: prompt(200), headers: {}, size: { requests: 96, connections: 16 } },
  mib: { body: prompt(2 ** 20), headers: {}, size: { requests: 4, connections: 4 } },
  stream: { body: prompt(200, { stream: true, stream_options: { include_usage: true } }), headers: STREAM, size: { requests: 4, connections: 4 } },
};
const run = (kind: string) => load({ name: kind, to: { ...to, headers: { ...headers, ...kinds[kind].headers } } }, kinds[kind].body, kinds[kind].size);
await waitFor("answers", () => load({ name: "x", to }, prompt(0), { requests: 1, connections: 1 }).catch(() => undefined));
const { processIn } = await import(`${root}/test/bench/gateway/processes.ts`);
const programs = [processIn(proxy.networkProcess, "envoy"), processIn(proxy.networkProcess, "ai-gateway-extproc")];
console.log("READY");
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "stop") break;
  const before = programs.map((p: any) => p.cpuSeconds());
  const result = await run(line);
  const cpu = programs.map((p: any, i: number) => p.cpuSeconds() - before[i]).reduce((a: number, b: number) => a + b);
  console.log("RESULT " + JSON.stringify({ ...result, cpu: cpu / kinds[line].size.requests }));
}
await stand.stop();
process.exit(0);
