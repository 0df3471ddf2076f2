import { planEnvironment } from "../stacks/program";
import { parseEnvironmentFile } from "../stacks/config";
import { stringify } from "yaml";
(async () => {
  for (const model of ["deepseek-v3", "llama-3.1-405b-instruct", "kimi-k2.5", "glm-4.5","minimax-m2.5", "llama-4-scout-17b-16e-instruct","qwen2.5-72b-instruct","devstral-2-123b-instruct", "nemotron-3-nano-30b-a3b"]) {
    const c = { stage: "development", cluster: { kind: "local" }, pools: { p: { shape: "g5.48xlarge", maxNodes: 10, usdPerNodeHour: 3 }}, models: { a: { model, concurrency: 4096, contextTokens: 8192 } }, gateway: { hostname: "a.b", tls: { kind: "self-signed" } } };
    const f = parseEnvironmentFile(stringify({ config: Object.fromEntries(Object.entries(c).map(([k, v]) => ["inference-stacks:" + k, v])) }));
    if (!f.ok) { console.log(f.problems); continue; }
    const t = process.cpuUsage();
    const plan = await planEnvironment("dev", f.environment, ".");
    const d = process.cpuUsage(t);
    console.log(model, Math.round((d.user + d.system) / 1000), "ms", plan.problems.length);
  }
})();
