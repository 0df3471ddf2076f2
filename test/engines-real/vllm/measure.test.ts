/** `npm run measure` against vLLM on this machine's processors, and plans that count with what it wrote. */
import { afterAll, beforeAll, it } from "vitest";
import { engineOf } from "../../../engines";
import { freePorts } from "../../../rehearsal/cluster/ports";
import type { Stand } from "../../e2e/model-store/stand";
import { MEASURED, proveMeasured, SLOTS } from "../../nightly/measure/prove-measured";
import { makeTinyModel } from "./tiny-model";
import { startStand, tinyPlan, weightsFolder } from "./tiny-stand";
import { VllmProcess } from "./vllm-process";

let stand: Stand;
let vllm: VllmProcess;
let config: string;

beforeAll(async () => {
  const tiny = makeTinyModel();
  config = String(tiny.files["config.json"]);
  const model = tinyPlan(tiny, { servedName: MEASURED, concurrency: SLOTS });
  stand = await startStand(model, tiny);
  const [port = 0] = await freePorts(1);
  const volumes = { "/models/current": await weightsFolder(stand, model) };
  vllm = new VllmProcess(stand.platform.engine(model.name, "vllm"), { port, volumes });
  await vllm.until(engineOf("vllm").health.ready);
});
afterAll(async () => {
  await vllm?.stop();
  await stand?.stop();
});

it(
  "is measured within its time, twice within what it states; the plan counts with it, for a load between too",
  async () => {
    const { version } = JSON.parse(await vllm.text("/version")) as { version: string };
    await proveMeasured({
      engine: "vllm",
      version,
      otherVersion: "0.33.0",
      url: vllm.url,
      config,
      model: { source: "hf://org/tiny@main" },
    });
  },
  15 * 60_000,
);
