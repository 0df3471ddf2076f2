/**
 * A real Triton (2.51) whose model hangs, and one that hangs itself: what its API and its series say, and what the rendered liveness does.
 * Why the first is the gateway's to notice: decision 59.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { container } from "../../components/serving/fixture";
import { RealTritonModel } from "../../e2e/triton/real-model";
import { render, tritonPlan } from "../../e2e/triton/rendered";
import { asked, condemnedAfter, end, type LivenessProbe, liveness, processOf } from "../../harness/kubelet";

const MODEL = "llama";
let triton: RealTritonModel;
let probe: LivenessProbe;

beforeAll(async () => {
  triton = await RealTritonModel.start();
  probe = liveness(container((await render(tritonPlan())).spec, "triton"));
});
afterAll(async () => {
  await triton?.stop();
});

const server = () => processOf({ says: [`--http-port=${triton.port}`] });
const model = () => processOf({ says: ["triton_python_backend_stub"], parent: server() });

/** As a client: a second for two tokens. @returns what came, or how it failed. */
function generate(text: string, seconds: number): Promise<string> {
  const body = JSON.stringify({ text_input: text, sampling_param_max_tokens: 2 });
  const signal = AbortSignal.timeout(seconds * 1000);
  return fetch(`${triton.url}/v2/models/${MODEL}/generate_stream`, { method: "POST", body, signal })
    .then((answer) => answer.text())
    .catch((error: Error) => error.name);
}

/** Of the model, by the series' names. */
async function series(): Promise<Record<string, string>> {
  const text = await (await fetch(triton.metricsUrl)).text();
  return Object.fromEntries(
    [...text.matchAll(/^nv_inference_(\w+)\{model="llama",version="1"\} (\S+)$/gm)].map(([, ...pair]) => pair),
  );
}

it("says that it lives and is ready while nothing is answered, and counts what it was asked as answered", async () => {
  expect(await generate("a", 20)).toContain("a 1");
  await expect.poll(async () => (await series()).request_success, { timeout: 10_000 }).toBe("1");
  const asks = Promise.all([generate("hang", 15), generate("hang", 15)]);
  await sleep(2000);
  const paths = ["/v2/health/live", "/v2/health/ready", `/v2/models/${MODEL}/ready`];
  for (const path of paths) {
    expect((await fetch(`${triton.url}${path}`)).status).toBe(200);
  }
  expect(await condemnedAfter(probe, asked(probe, triton.url), 12)).toBeUndefined();
  expect(await series()).toMatchObject({ pending_request_count: "0", request_success: "3", count: "3" });
  expect(await asks).toEqual(["TimeoutError", "TimeoutError"]);
});

it("refuses what comes while a model's process stands still, and says that it lives", async () => {
  const stopped = model();
  process.kill(stopped, "SIGSTOP");
  try {
    for (let request = 0; request < 3; request++) {
      expect(await generate("a", 30)).toContain("is not healthy");
    }
    expect(await condemnedAfter(probe, asked(probe, triton.url), 12)).toBeUndefined();
  } finally {
    process.kill(stopped, "SIGCONT");
  }
});

it("is ended within two minutes where it hangs itself", async () => {
  const pid = server();
  process.kill(pid, "SIGSTOP");
  const noticed = await condemnedAfter(probe, asked(probe, triton.url), 120);
  expect(noticed).toBeLessThan(75);
  expect(await end(pid, probe)).toBeLessThan(probe.terminationGracePeriodSeconds + 5);
});
