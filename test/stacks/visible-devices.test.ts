/** Where pods get their cards by CDI, no image gets others by its own variable. */
import { expect, it } from "vitest";
import { devicesByCdi } from "../../stacks/gpu-software";
import { recordedObjects } from "../harness/recorded-objects";
import { podSpecs } from "../render/argo-cd/facts";
import { programRun } from "./run";

interface Container {
  readonly name: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly resources?: { readonly limits?: Readonly<Record<string, unknown>> };
}

async function visibleDevices(run: ReturnType<typeof programRun>): Promise<(string | undefined)[]> {
  const specs = recordedObjects((await run).resources).flatMap(({ inputs }) => podSpecs(inputs));
  const containers = specs.flatMap((spec) => (spec as { readonly containers?: readonly Container[] }).containers ?? []);
  const onCards = containers.filter(({ resources }) =>
    Object.keys(resources?.limits ?? {}).some((name) => name.startsWith("nvidia.com/") && !name.includes("rdma")),
  );
  expect(onCards.length).toBeGreaterThan(0);
  return [...new Set(onCards.map(({ env = [] }) => env.find(({ name }) => name === "NVIDIA_VISIBLE_DEVICES")?.value))];
}

it.each(["aws-prod", "oci-h100", "edge-nvidia"] as const)("%s, whose cards are NVIDIA's operator's", async (name) => {
  expect(await visibleDevices(programRun(name))).toEqual(["void"]);
});

it("not where Oracle's plugin gives cards out by that very variable", async () => {
  expect(await visibleDevices(programRun("oci-a10"))).toEqual([undefined]);
});

it("not on a cluster of which nobody says how", async () => {
  const { environment, plan } = await programRun("oci-h100");
  expect(devicesByCdi({ environment, plan, cluster: { gpuSoftware: "present" } })).toBe(false);
  expect(devicesByCdi({ environment, plan, cluster: { gpuSoftware: "addon" } })).toBe(true);
});
