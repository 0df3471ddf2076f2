import { engineOf } from "../../../engines";
import { shippedText } from "../../../names/shipped-file";
import { freePorts } from "../../../rehearsal/cluster/ports";
import type { Stand } from "../../e2e/model-store/stand";
import { makeTinyModel } from "./tiny-model";
import { startStand, tinyPlan, weightsFolder } from "./tiny-stand";
import { VllmProcess } from "./vllm-process";

const CONNECTOR = "asking_connector";
/** Argument of the script that takes fields for connectors out of requests. */
const MIDDLEWARE = "--middleware=connector_fields.ConnectorFields";

/** The tiny model on a real vLLM whose cache connector fails where a client wrote its fields. */
export class AskingVllm {
  private constructor(
    private readonly stand: Stand,
    private readonly name: string,
    private readonly weights: string,
  ) {}

  static async prepare(): Promise<AskingVllm> {
    const tiny = makeTinyModel();
    const transfer = { kv_connector: "AskingConnector", kv_connector_module_path: CONNECTOR, kv_role: "kv_both" };
    const model = tinyPlan(tiny, { args: { "enforce-eager": true, "kv-transfer-config": transfer } });
    const stand = await startStand(model, tiny);
    return new AskingVllm(stand, model.name, await weightsFolder(stand, model));
  }

  /** @param guarded whether the script runs, as rendered. */
  async start(guarded: boolean): Promise<VllmProcess> {
    const [port = 0] = await freePorts(1);
    const container = this.stand.platform.engine(this.name, "vllm");
    const command = container.command.filter((word) => guarded || word !== MIDDLEWARE);
    const files = { [`/scripts/${CONNECTOR}.py`]: shippedText(`test/engines-real/vllm/${CONNECTOR}.py`) };
    const vllm = new VllmProcess(
      { ...container, command },
      { port, files, volumes: { "/models/current": this.weights } },
    );
    await vllm.until(engineOf("vllm").health.ready);
    return vllm;
  }

  stop(): Promise<void> {
    return this.stand.stop();
  }
}
