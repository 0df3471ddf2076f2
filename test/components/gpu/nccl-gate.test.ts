import { beforeAll, describe, expect, it } from "vitest";
import { fabricOf, ncclEnvironment } from "../../../catalog/fabrics";
import type { GateSettings } from "../../../components/gpu/scripts/settings.ts";
import type { KubernetesObject } from "../../../kubernetes/object";
import { ANNOTATIONS } from "../../../names/labels";
import { UNCERTIFIED } from "../../../planner/fabric-gate";
import { changedRun, type ProgramRun, programRun } from "../../stacks/run";

interface Trial {
  readonly spec: {
    readonly suspend: boolean;
    readonly jobTemplate: {
      readonly spec: {
        readonly template: {
          readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
          readonly spec: {
            readonly hostNetwork?: boolean;
            readonly tolerations: readonly { readonly key: string }[];
            readonly containers: readonly {
              readonly env: readonly { readonly name: string; readonly value?: string }[];
              readonly resources: {
                readonly requests: Readonly<Record<string, string>>;
                readonly limits: Readonly<Record<string, string>>;
              };
              readonly securityContext: object;
            }[];
          };
        };
      };
    };
  };
}

function objectOf<T = KubernetesObject>(run: ProgramRun, kind: string, name: string): T {
  const found = run.resources.find(({ inputs }) => {
    return inputs.kind === kind && (inputs.metadata as { name?: string } | undefined)?.name === name;
  });
  if (!found) {
    throw new Error(`no ${kind} ${name}`);
  }
  return found.inputs as unknown as T;
}

describe("the gate of oci-h100", () => {
  let run: ProgramRun;
  beforeAll(async () => {
    run = await programRun("oci-h100");
  });

  it("tries all GPUs and virtual functions of two nodes, with NCCL's variables as models have them", () => {
    const { spec } = objectOf<Trial>(run, "CronJob", "trial-h100");
    // Nothing runs it by itself.
    expect(spec.suspend).toBe(true);
    const { metadata, spec: pod } = spec.jobTemplate.spec.template;
    expect(metadata.annotations["k8s.v1.cni.cncf.io/networks"]?.split(",")).toEqual(Array(16).fill("default/rdma-vf"));
    expect(pod.tolerations.map(({ key }) => key)).toEqual(["nvidia.com/gpu", "dedicated", UNCERTIFIED.key]);
    const [container] = pod.containers;
    const fabric = fabricOf("BM.GPU.H100.8");
    const wanted = fabric && ncclEnvironment(fabric, "virtual-functions");
    const env = Object.fromEntries(container?.env.map(({ name, value }) => [name, value]) ?? []);
    expect(env).toMatchObject({ ...wanted, TRIAL_GPUS: "8" });
    expect(env.TRIAL_VARIABLES?.split(" ").sort()).toEqual(
      [...Object.keys(wanted ?? {}), "NCCL_DEBUG", "NVIDIA_VISIBLE_DEVICES"].sort(),
    );
    const devices = { "nvidia.com/gpu": "8", "nvidia.com/rdma-vf": "16" };
    expect(container?.resources.limits).toMatchObject(devices);
    expect(container?.resources.requests).toMatchObject(devices);
    expect(container?.resources.requests.cpu).not.toBe(container?.resources.limits.cpu);
  });

  it("needs room for three of the largest messages on each card, and less than 40 GB", () => {
    const { spec } = objectOf<Trial>(run, "CronJob", "trial-h100");
    const { annotations } = spec.jobTemplate.spec.template.metadata;
    const { memoryTotalGiB, memoryMostGiB, memoryLimitGiB } = ANNOTATIONS;
    const [total, most, limit] = [memoryTotalGiB, memoryMostGiB, memoryLimitGiB].map((key) => Number(annotations[key]));
    const { data } = objectOf<{ data: Record<string, string> }>(run, "ConfigMap", "gate-h100");
    const { expected } = JSON.parse(data["gate.json"] ?? "") as GateSettings;
    expect(total).toBeGreaterThan((3 * expected.largestBytes) / 2 ** 30);
    expect(most).toBeGreaterThan(Number(total));
    // The smallest cards on a fabric.
    expect(most).toBeLessThan(40e9 / 2 ** 30);
    expect(limit).toBe(run.plan.pools.find(({ name }) => name === "h100")?.shape.gpu?.engineMemoryGiB);
  });

  it("tells its certifier what the plan says", () => {
    const { data } = objectOf<{ data: Record<string, string> }>(run, "ConfigMap", "gate-h100");
    expect(JSON.parse(data["gate.json"] ?? "") as GateSettings).toMatchObject({
      pool: "h100",
      nodeSelector: run.plan.pools.find(({ name }) => name === "h100")?.selector,
      resources: { "nvidia.com/gpu": 8, "nvidia.com/rdma-vf": 16 },
      minNodes: 2,
      expected: { smallestBytes: 2 ** 30, largestBytes: 2 ** 33, minBusGBps: 396 },
      template: "trial-h100",
    });
  });

  it("comes before the models of its pool, and before no others", () => {
    const byUrn = new Map(run.resources.map((resource) => [resource.urn, resource]));
    const job = run.resources.find(({ name }) => name === "platform-fabric-gate-h100-first-job");
    const waitsFor = (name: string) => {
      const model = run.resources.find((resource) => resource.name === name);
      return model?.dependsOn.flatMap((urn) => byUrn.get(urn)?.name ?? []) ?? [];
    };
    expect(job).toBeDefined();
    expect(waitsFor("platform-models-llama-405b-group")).toContain("platform-fabric-gate-h100-first-job");
    expect(waitsFor("platform-models-qwen-7b-server-deployment")).not.toContain("platform-fabric-gate-h100-first-job");
  });

  it("has new nodes register the taint, which no model tolerates", () => {
    const pool = run.plan.pools.find(({ name }) => name === "h100");
    expect(pool?.startupTaints).toEqual([UNCERTIFIED]);
    expect(run.plan.models.flatMap(({ tolerations }) => tolerations).map(({ key }) => key)).not.toContain(
      UNCERTIFIED.key,
    );
  });
});

describe("a gate on the network of the nodes", () => {
  it("has trials there too, in a namespace of their own that lets them, without virtual functions", async () => {
    const { environment } = await programRun("oci-h100");
    const { h100, ...pools } = environment.pools;
    const run = await changedRun("oci-h100", {
      pools: { ...pools, h100: { ...h100, rdma: { mode: "managed", access: "host-network" } } },
    });
    const trial = objectOf<Trial & KubernetesObject>(run, "CronJob", "trial-h100");
    expect(trial.metadata.namespace).toBe("fabric-gate-host");
    const { metadata, spec } = trial.spec.jobTemplate.spec.template;
    expect(metadata.annotations["k8s.v1.cni.cncf.io/networks"]).toBeUndefined();
    expect(spec.hostNetwork).toBe(true);
    expect(spec.containers[0]?.resources.limits["nvidia.com/rdma-vf"]).toBeUndefined();
    expect(spec.containers[0]?.securityContext).toMatchObject({ privileged: true, runAsNonRoot: true });
    const home = objectOf(run, "Namespace", "fabric-gate-host");
    expect(home.metadata.labels?.["pod-security.kubernetes.io/enforce"]).toBe("privileged");
    expect(run.resources.some(({ name }) => name === "platform-fabric-gate-space-namespace")).toBe(false);
  });
});
