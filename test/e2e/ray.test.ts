/**
 * Ray Serve on its real operator, KubeRay: it makes the pods of what we render, and hands the application to the head. No
 * kubelet is there, so no Ray runs: the dashboard of the head is played. Ray's own classes judge what it is told.
 */
import { execFileSync } from "node:child_process";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServeConfig, serveConfig } from "../../components/serving/ray-serve-config";
import type { KubernetesObject } from "../../kubernetes/object";
import { installChartCrds } from "../../rehearsal/cluster/chart-crds";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { nodesOf, runNodes } from "../../rehearsal/cluster/existing-parts";
import { runRayOperator } from "../../rehearsal/cluster/ray-operator";
import { kindsOf, recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { podFact, podState } from "../../rehearsal/cluster-state";
import { requirePart } from "../../rehearsal/parts/find";
import { rayPlan } from "../harness/plans";
import { programRun } from "../stacks/run";

interface Spec {
  readonly serveConfigV2: string;
}

type Answer = { readonly accepted: boolean; readonly said: string };

/** What Ray 2.56's own classes say of configurations: the whole file, and each model in it. */
function judged(configs: readonly unknown[]): Answer[] {
  const script = `
import json, sys
from ray.serve.schema import ServeDeploySchema
from ray.llm._internal.serve.core.configs.llm_config import LLMConfig
answers = []
for config in json.load(sys.stdin):
    try:
        deployed = ServeDeploySchema.model_validate(config)
        for application in deployed.applications:
            for model in application.args["llm_configs"]:
                LLMConfig.model_validate(model)
        answers.append({"accepted": True, "said": ""})
    except Exception as error:
        answers.append({"accepted": False, "said": str(error)})
print("ANSWERS" + json.dumps(answers))
`;
  const output = execFileSync(requirePart("ray-python"), ["-c", script], {
    input: JSON.stringify(configs),
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
  });
  return JSON.parse(output.slice(output.indexOf("ANSWERS") + "ANSWERS".length)) as Answer[];
}

describe("the configuration of Ray Serve, before Ray's own classes", { timeout: 120_000 }, () => {
  const location = "/models/current";
  const plans = [
    rayPlan(),
    rayPlan({ loading: "stream" }),
    rayPlan({ tensorParallel: 4, gpusPerNode: 4, maxNumSeqs: 64, kvCacheDtype: "fp8", minReplicas: 1 }),
    rayPlan({ task: "embedding", loadAs: { dtype: "float16" } }),
    rayPlan({
      args: { "limit-mm-per-prompt": { image: 2 }, "max-num-batched-tokens": "8k" },
      loadAs: { quantization: "fp8" },
    }),
  ];

  it("is accepted, whatever the plan says", () => {
    expect(judged(plans.map((plan) => serveConfig(plan, location)))).toEqual(
      plans.map(() => ({ accepted: true, said: "" })),
    );
  });

  it("is refused where it is spoilt", () => {
    const config = serveConfig(rayPlan(), location);
    const [application] = config.applications;
    const [model] = application?.args.llm_configs ?? [];
    const withModel = (changes: object) => ({
      ...config,
      applications: [{ ...application, args: { ...application?.args, llm_configs: [{ ...model, ...changes }] } }],
    });
    const spoilt = [
      { ...config, applications: [application, application] },
      { ...config, applications: [{ ...application, import_path: "no-attribute" }] },
      { ...config, proxy_location: "Nowhere" },
      withModel({ deployment_config: { num_replicas: -1 } }),
      withModel({ llm_engine: "Other" }),
      withModel({ model_loading_config: {} }),
      withModel({ engine_kwargs: { disable_log_stats: true } }),
    ];
    expect(judged(spoilt).filter(({ accepted }) => accepted)).toEqual([]);
  });
});

/** The head's dashboard, which the operator reaches through a proxy: it remembers what it is given, and says that all of it runs. */
class Dashboard {
  readonly submitted: { readonly host: string; readonly config: unknown }[] = [];
  private readonly server: Server = createServer((request, response) => void this.answer(request, response));

  async start(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) {
      body += chunk;
    }
    if (request.method === "PUT") {
      this.submitted.push({ host: request.headers.host ?? "", config: JSON.parse(body) });
    }
    const applications = (this.submitted.at(-1)?.config as Partial<ServeConfig> | undefined)?.applications ?? [];
    const running = applications.map(({ name }) => [name, { name, status: "RUNNING", message: "", deployments: {} }]);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ applications: Object.fromEntries(running) }));
  }
}

describe("a model on Ray Serve, with KubeRay's operator", { timeout: 300_000 }, () => {
  const dashboard = new Dashboard();
  let plane: ControlPlane;
  let service: KubernetesObject;
  let namespace = "";

  const pods = async () => {
    const all = await plane.client.list("v1", "Pod");
    return all.filter(({ metadata }) => metadata.namespace === namespace);
  };
  const until = async <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => {
    for (const end = Date.now() + 90_000; Date.now() < end; await sleep(300)) {
      const found = await look();
      if (found !== undefined) {
        return found;
      }
    }
    throw new Error(`${what}: not within 90 seconds`);
  };

  beforeAll(async () => {
    const [started, { resources, plan }, proxy] = await Promise.all([
      ControlPlane.start({ controllers: true }),
      programRun("aws-prod"),
      dashboard.start(),
    ]);
    plane = started;
    const { client } = plane;
    const objects = recordedObjects(resources);
    const found = objects.find(({ kind }) => kind === "RayService");
    if (found === undefined) {
      throw new Error("aws-prod has no model on Ray Serve");
    }
    service = found;
    namespace = service.metadata.namespace ?? "";
    // Other custom resources are not what this is about, and their definitions take seconds to install.
    const here = objects.filter(
      (object) =>
        object === service ||
        object.kind === "PriorityClass" ||
        (object.kind === "Namespace" && object.metadata.name === namespace) ||
        (object.metadata.namespace === namespace &&
          /^(v1|policy\/v1|networking\.k8s\.io\/v1)$/.test(object.apiVersion)),
    );
    await installChartCrds(client, "kuberay-operator", kindsOf([service]));
    await runNodes(
      plane,
      nodesOf(plan, ({ minNodes }) => minNodes),
    );
    await runRayOperator(plane, { HTTP_PROXY: proxy });
    const first = here.filter(({ kind }) => kind === "Namespace" || kind === "PriorityClass");
    const rest = here.filter((object) => !first.includes(object) && object !== service);
    for (const group of [first, rest, [service]]) {
      await Promise.all(group.map((object) => client.apply(object, { fieldManager: "test" })));
    }
  }, 120_000);
  afterAll(async () => {
    dashboard.stop();
    await plane?.stop();
  });

  it("gets its head and its workers, in a restricted namespace and its quota, GPUs on the workers alone", async () => {
    const ready = await until("all pods to be ready", async () => {
      const now = await pods();
      return now.length === 3 && now.every((pod) => podFact(podState(pod as never)).ready) ? now : undefined;
    });
    const role = ({ metadata }: KubernetesObject) => metadata.labels?.["inference-stacks.io/role"];
    expect(ready.map(role).sort()).toEqual(["head", "worker", "worker"]);
    const gpus = ready.map((pod) => [role(pod), gpusOf(pod)]).sort();
    expect(gpus).toEqual([
      ["head", 0],
      ["worker", 1],
      ["worker", 1],
    ]);
    const started = ready.map((pod) => `${role(pod)}: ${argsOf(pod)}`).sort();
    expect(started[0]).toMatch(/^head: ulimit .*ray start --head .*--num-cpus=0/);
    expect(started[1]).toMatch(/^worker: ulimit .*ray start .*--address=model-.*-head-svc\..*:6379 .*--num-gpus=1/);
  });

  it("is handed to the head as it is rendered, and gets the Service that the gateway calls", async () => {
    const given = await until("the application to be submitted", async () => dashboard.submitted[0]);
    expect(given.host).toMatch(new RegExp(`^model-.*-head-svc\\.${namespace}\\.svc\\.cluster\\.local:8265$`));
    expect(given.config).toEqual(JSON.parse((service.spec as Spec).serveConfigV2));
    const serve = await until("the Service", async () => {
      const services = await plane.client.list("v1", "Service");
      return services.find(({ metadata }) => metadata.name === `${service.metadata.name}-serve-svc`);
    });
    expect(serve.spec).toMatchObject({ clusterIP: "None", ports: [{ name: "serve", port: 8000 }] });
    const status = await until("the RayService to be ready", async () => {
      const [now] = (await plane.client.list("ray.io/v1", "RayService")) as (KubernetesObject & { status?: Status })[];
      return now?.status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True")
        ? now.status
        : undefined;
    });
    // The workers, and not the head.
    expect(status.numServeEndpoints).toBe(2);
  });

  it("has no autoscaler: neither Ray's nor Serve's nor Kubernetes'", async () => {
    const [cluster] = await plane.client.list("ray.io/v1", "RayCluster");
    expect(cluster?.spec).toMatchObject({
      enableInTreeAutoscaling: false,
      workerGroupSpecs: [{ replicas: 2, minReplicas: 2, maxReplicas: 2 }],
    });
    const containers = (await pods()).flatMap(({ spec }) =>
      (spec as { containers: { name: string }[] }).containers.map(({ name }) => name),
    );
    expect([...new Set(containers)].sort()).toEqual(["ray-head", "ray-worker"]);
    expect(JSON.stringify(dashboard.submitted)).not.toContain("autoscaling");
    expect(await plane.client.list("autoscaling/v2", "HorizontalPodAutoscaler")).toEqual([]);
  });

  it("gets a worker back that is gone", async () => {
    const [lost] = (await pods()).filter(({ metadata }) => metadata.labels?.["inference-stacks.io/role"] === "worker");
    await plane.client.delete({ apiVersion: "v1", kind: "Pod", metadata: lost?.metadata ?? { name: "" } }, 0);
    await until("another worker", async () => {
      const now = await pods();
      const others = now.filter(({ metadata }) => metadata.uid !== lost?.metadata.uid);
      return others.length === 3 && others.every((pod) => podState(pod as never).ready) ? true : undefined;
    });
  });
});

interface Status {
  readonly numServeEndpoints?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

interface Container {
  readonly args?: readonly string[];
  readonly resources: { readonly limits: Readonly<Record<string, string>> };
}

function containersOf({ spec }: KubernetesObject): readonly Container[] {
  return (spec as { readonly containers: readonly Container[] }).containers;
}

function gpusOf(pod: KubernetesObject): number {
  return containersOf(pod).reduce((sum, { resources }) => sum + Number(resources.limits["nvidia.com/gpu"] ?? 0), 0);
}

function argsOf(pod: KubernetesObject): string {
  return containersOf(pod)[0]?.args?.join(" ") ?? "";
}
