import { describe, expect, it } from "vitest";
import { freePorts } from "../../rehearsal/cluster/ports";
import { type Operation, operation } from "./engine/operations";
import { TestBed } from "./engine/test-bed";
import { CLUSTER, NODE_POOL, smallPlatform } from "./oke/settings";
import { sharedBySuite } from "./shared-by-suite";

describe("a platform on a cluster of our own, on the real engine", { timeout: 300_000 }, () => {
  let port = 0;
  const bed = sharedBySuite(async () => {
    [port = 0] = await freePorts(1);
    return TestBed.start("dev", smallPlatform(), {
      endpoint: `127.0.0.1:${port}`,
      delays: { [NODE_POOL]: { create: 5_000 } },
    });
  });
  const up = (): Promise<Operation> => operation((onEvent) => bed().stack.up({ onEvent }));
  const planned = (): string[] =>
    bed()
      .offline.recording.resources.map(({ type }) => type)
      .sort();
  const recorded = async (): Promise<string[]> => {
    const { deployment } = await bed().stack.exportStack();
    return ((deployment.resources ?? []) as { readonly type: string }[]).map(({ type }) => type).sort();
  };
  const ofCloud = (types: readonly string[]): string[] => types.filter((type) => type.startsWith("oci:"));
  const ofKubernetes = (types: readonly string[]): string[] => types.filter((type) => type.startsWith("kubernetes:"));

  it("is not begun where the cluster's private API does not answer; the cluster is made, and recorded", async () => {
    const message = await up().then(
      () => "",
      (error: Error) => error.message,
    );
    expect(message).toContain(`the Kubernetes API at 127.0.0.1:${port} does not answer from here: ECONNREFUSED`);
    expect(message).toMatch(
      /Two ways out:\s+- run `pulumi up` where it answers.*\s+- split the deployment: `scope: cluster`/,
    );
    expect(ofCloud(await recorded())).toEqual(ofCloud(planned()));
    expect(bed().cloud.of(CLUSTER)).toHaveLength(1);
    expect(ofKubernetes(await recorded())).toEqual([]);
    const names = (await bed().plane.client.list("v1", "Namespace")).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name !== "default" && !name.startsWith("kube-"))).toEqual([]);
  });
});
