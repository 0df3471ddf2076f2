/** Weights on a volume of the user's: what pods of each engine mount, and that they get no keys to the model store. */
import { describe, expect, it } from "vitest";
import type { ModelPlan } from "../../../planner/types";
import { groupPlan, modelPlan, rayPlan } from "../../harness/plans";
import { container, deployServing, type PodSpec, podTemplate } from "./fixture";

const source = { kind: "claim", claim: "weights", path: "llama/v3" } as const;
const mounted = { source, loading: "mount" } as const satisfies Partial<ModelPlan>;

const VOLUME = { name: "model", persistentVolumeClaim: { claimName: "weights", readOnly: true } };
const MOUNT = { name: "model", mountPath: "/models/current", readOnly: true, subPath: "llama/v3" };

async function deployed(model: ModelPlan) {
  return (await deployServing([model])).deployment;
}

/** Pod specs anywhere in the inputs of a resource. */
function podsIn(value: unknown): PodSpec[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  if ("containers" in value && Array.isArray(value.containers)) {
    return [value as unknown as PodSpec];
  }
  return Object.values(value).flatMap(podsIn);
}

describe("a model on a volume claim", () => {
  it("mounts its folder alone, to read, and copies nothing", async () => {
    const deployment = await deployed(modelPlan(mounted));
    const { spec } = podTemplate(
      deployment.resource("kubernetes:apps/v1:Deployment", "serving-llama-8b-server-deployment"),
    );
    expect(spec.initContainers ?? []).toEqual([]);
    expect(spec.volumes).toContainEqual(VOLUME);
    const engine = container(spec, "vllm");
    expect(engine.volumeMounts).toContainEqual(MOUNT);
    expect(engine.args?.[0]).toBe("/models/current");
    expect(engine.args?.join(" ")).not.toContain("--load-format");
    expect(engine.env.filter(({ name }) => name.startsWith("AWS_"))).toEqual([]);
    expect(deployment.ofType("kubernetes:core/v1:Secret")).toEqual([]);
  });

  it("mounts the whole volume where no path is named", async () => {
    const deployment = await deployed(modelPlan({ ...mounted, source: { ...source, path: "" } }));
    const { spec } = podTemplate(
      deployment.resource("kubernetes:apps/v1:Deployment", "serving-llama-8b-server-deployment"),
    );
    expect(container(spec, "vllm").volumeMounts).toContainEqual({
      name: "model",
      mountPath: "/models/current",
      readOnly: true,
    });
  });

  it("rolls its pods when the folder changes", async () => {
    const annotations = async (path: string) => {
      const deployment = await deployed(modelPlan({ ...mounted, source: { ...source, path } }));
      return podTemplate(deployment.resource("kubernetes:apps/v1:Deployment", "serving-llama-8b-server-deployment"))
        .metadata.annotations;
    };
    expect(await annotations("llama/v3")).not.toEqual(await annotations("llama/v4"));
  });

  it.each<[string, ModelPlan, string]>([
    ["a group of nodes", groupPlan(mounted), "LeaderWorkerSet"],
    ["Ray", rayPlan(mounted), "RayService"],
    ["TGI", modelPlan({ ...mounted, engine: "tgi", engineVersion: "3.3.7" }), "Deployment"],
  ])("is mounted by every pod with an engine: %s", async (_, model, kind) => {
    const deployment = await deployed(model);
    const owners = deployment.recording.resources.filter(({ type }) => type.endsWith(`:${kind}`));
    const pods = owners.flatMap(({ inputs }) => podsIn(inputs));
    const engines = pods.filter(({ volumes }) => volumes.some(({ name }) => name === "model"));
    expect(engines.length).toBeGreaterThan(0);
    for (const { volumes, containers, initContainers = [] } of engines) {
      expect(volumes).toContainEqual(VOLUME);
      expect([...containers, ...initContainers].flatMap(({ volumeMounts }) => volumeMounts)).toContainEqual(MOUNT);
      expect(initContainers.map(({ name }) => name)).not.toContain("fetch-weights");
    }
  });
});
