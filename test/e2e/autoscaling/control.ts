/** The model control API as an environment configures it, with no more rights than the environment gives it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { z } from "zod";
import { modelControlPods } from "../../../components/model-control/names";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import type { ProgramRun } from "../../stacks/run";
import { type Redis, startRedis } from "../model-control/registry";
import { Api, ApiBundle } from "../model-control/start-api";
import { Engines } from "./engines";
import type { ScaledModelState } from "./scaled-model-state";

const settings = z.object({ workers: z.array(z.looseObject({ name: z.string(), models: z.tuple([z.string()]) })) });

/** Its process, and what it talks to: a real Redis, the plane's API server, and what stands for the engines. */
export class StandingControl {
  private constructor(
    readonly api: Api,
    private readonly redis: Redis,
    private readonly bundle: ApiBundle,
    private readonly engines: readonly Engines[],
  ) {}

  static async start(
    plane: ControlPlane,
    run: ProgramRun,
    models: Readonly<Record<string, ScaledModelState>>,
  ): Promise<StandingControl> {
    const bundle = ApiBundle.build();
    const redis = await startRedis();
    const engines: Engines[] = [];
    const workers = await Promise.all(
      renderedWorkers(run).map(async (worker) => {
        const engine = await Engines.start(
          worker.models[0],
          async () => ((await models[worker.name]?.replicas()) ?? 0) > 0,
        );
        engines.push(engine);
        return { ...worker, url: engine.url };
      }),
    );
    const api = await Api.start(
      bundle,
      { redis: { url: redis.url }, workers },
      { KUBECONFIG: kubeconfigOfService(plane) },
    );
    await api.process.waitForOutput(/the task queue is connected/, 20);
    return new StandingControl(api, redis, bundle, engines);
  }

  /** Has a worker stopped or started, and waits for the end of it. @throws Error with what failed. */
  async order(kind: "stop" | "start", worker: string): Promise<void> {
    const { status, body } = await this.api.ask("POST", `/workers/${kind}`, { worker });
    const task = await this.api.ended(body.task_id, 150);
    if (status !== 202 || task.state !== "completed") {
      throw new Error(`${kind} ${worker}: ${status} ${JSON.stringify(task)}`);
    }
  }

  async stateOf(worker: string): Promise<string | undefined> {
    const { body } = await this.api.ask("GET", "/workers");
    return body.workers.find(({ name }) => name === worker)?.state;
  }

  async stop(): Promise<void> {
    for (const engine of this.engines) {
      engine.stop();
    }
    await this.api.process.stop();
    await this.redis.stop();
    this.bundle.remove();
  }
}

function renderedWorkers({ deployment }: ProgramRun) {
  const text = deployment
    .ofType("kubernetes:core/v1:ConfigMap")
    .map(({ inputs }) => (inputs.data as Record<string, string> | undefined)?.["config.json"])
    .find((found) => found?.includes('"tokensFile"'));
  return settings.parse(JSON.parse(text ?? "{}")).workers;
}

/** The administrator's, in the name of the API's service account. */
function kubeconfigOfService(plane: ControlPlane): string {
  const config = new KubeConfig();
  config.loadFromString(readFileSync(plane.kubeconfig, "utf8"));
  const { namespace, serviceAccount } = modelControlPods;
  config.loadFromOptions({
    clusters: config.clusters,
    contexts: config.contexts,
    currentContext: config.currentContext,
    users: [{ ...config.getCurrentUser(), impersonateUser: `system:serviceaccount:${namespace}:${serviceAccount}` }],
  });
  const file = join(plane.folder, "model-control.kubeconfig");
  writeFileSync(file, config.exportConfig());
  return file;
}
