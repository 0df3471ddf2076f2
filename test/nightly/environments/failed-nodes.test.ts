/** What a cloud that refuses does to a deployment: of a pool's machines, and of the cluster itself. On the real engine, by its command line. */
import { describe, expect, it } from "vitest";
import { CommandLineStack } from "../../e2e/engine/command-line-stack";
import { NODE_POOL, smallPlatform } from "../../e2e/oke/settings";
import { sharedBySuite } from "../../e2e/shared-by-suite";

const MACHINE = { shape: "VM.Standard.E4.Flex", ocpus: 4, memoryGiB: 24, minNodes: 1, maxNodes: 1 };
const MODEL = { model: "qwen2.5-0.5b-instruct", engine: "ollama", contextTokens: 4096, concurrency: 2 };
const labelled = (pool: string) => ({ labels: { "inference-stacks.io/pool": pool } });
const TWO_POOLS = {
  "inference-stacks:pools": {
    value: JSON.stringify({
      system: { ...MACHINE, ...labelled("system"), minNodes: 2, maxNodes: 2 },
      scarce: { ...MACHINE, ...labelled("scarce"), role: "cpu" },
      plenty: { ...MACHINE, ...labelled("plenty"), role: "cpu" },
    }),
  },
  "inference-stacks:models": {
    value: JSON.stringify({ alpha: { ...MODEL, pools: ["scarce"] }, beta: { ...MODEL, pools: ["plenty"] } }),
  },
};
/** As `@pulumi/oci` passes it on. */
const NO_CAPACITY =
  "work request did not succeed, workId: ocid1.clustersworkrequest.oc1..w, entity: nodepool, action: CREATED. Message: 1 node(s) launch failure. Reason for failure on one of the nodes : (500, InternalError, false) Out of host capacity.";

describe("a cloud that refuses", { timeout: 600_000 }, () => {
  const stack = sharedBySuite(() => CommandLineStack.start("dev", { ...smallPlatform(), ...TWO_POOLS }));
  const up = (...flags: readonly string[]) =>
    stack().run(["up", "--yes", "--skip-preview", "--suppress-progress", ...flags]);
  const refuse = (messages: Readonly<Record<string, string>>) => stack().surroundings.cloud.refuse(messages);
  const client = () => stack().surroundings.plane.client;
  /** Identities of all that the program has in the cluster. */
  const identities = async () => {
    const kinds = [
      ["v1", "Namespace"],
      ["v1", "Secret"],
      ["v1", "Service"],
      ["apps/v1", "Deployment"],
      ["apps/v1", "StatefulSet"],
      ["v1", "PersistentVolumeClaim"],
    ] as const;
    const lists = await Promise.all(kinds.map(([version, kind]) => client().list(version, kind)));
    return lists
      .flat()
      .map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name} ${metadata.uid}`)
      .sort();
  };

  it("machines of the platform's own pool: other pools are made, and nothing else is reported", async () => {
    refuse({ "cluster-pools-system": NO_CAPACITY, "cluster-pools-scarce": NO_CAPACITY });
    const { status, output } = await up("--continue-on-error");
    expect(status, output).not.toBe(0);
    expect(output).toContain("The platform runs on this pool");
    const [, diagnostics = ""] = output.split("Diagnostics:");
    const errors = diagnostics.match(/error: .*/g) ?? [];
    expect(errors.filter((error) => !/Out of host capacity|update failed/.test(error))).toEqual([]);
    const made = stack().surroundings.cloud.of(NODE_POOL);
    expect(made.map(({ inputs }) => inputs.name)).toEqual(["plenty"]);
    expect((await client().list("v1", "Namespace")).map(({ metadata }) => metadata.name)).not.toContain("model-beta");
  });

  it("machines of one pool: with --continue-on-error all else comes up, and the message says what does not", async () => {
    refuse({ "cluster-pools-scarce": NO_CAPACITY });
    const { status, output } = await up("--continue-on-error");
    expect(status, output).toBe(1);
    expect(output).toContain("pools.scarce was not made: the cloud has no VM.Standard.E4.Flex to give now");
    expect(output).toContain("Only its models wait for it: alpha.");
    expect(output).toContain("pools.scarce.availabilityDomains");
    expect(output).toMatch(/error: .*Out of host capacity/);
    const servers = await client().list("apps/v1", "StatefulSet");
    expect(servers.map(({ metadata }) => metadata.namespace)).toContain("model-beta");
    expect(servers.map(({ metadata }) => metadata.namespace)).not.toContain("model-alpha");
    expect(await client().list("gateway.networking.k8s.io/v1", "Gateway")).toHaveLength(1);
  });

  it("the same without it: nothing that is there is touched", async () => {
    const before = await identities();
    const { status, output } = await up();
    expect(status, output).not.toBe(0);
    expect(output).toContain("pools.scarce was not made");
    expect(await identities()).toEqual(before);
  });

  it.each([[], ["--continue-on-error"]])(
    "an update of the cluster %s: the platform stays as it is",
    async (...flags) => {
      refuse({ "cluster-control-plane": "409-Conflict, the cluster is being upgraded by somebody else" });
      const before = await identities();
      await stack().must(["config", "set", "--path", "inference-stacks:cluster.oke.kubernetesVersion", "v1.34.2"]);
      const { status, output } = await up(...flags);
      expect(status, output).not.toBe(0);
      expect(output).toContain("409-Conflict");
      expect(output).not.toMatch(/deleted/);
      expect(await identities()).toEqual(before);
    },
  );

  it("goes on from there once the cloud has machines again", async () => {
    refuse({});
    const { status, output } = await up();
    expect(status, output).toBe(0);
    const servers = await client().list("apps/v1", "StatefulSet");
    expect(servers.map(({ metadata }) => metadata.namespace)).toContain("model-alpha");
  });
});
