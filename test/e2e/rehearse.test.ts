import { describe, expect, it } from "vitest";
import { main } from "../../cli/rehearse";
import { environmentIn, onA10, runPiped, useFolder } from "../cli/run";
import { reportOf } from "./rehearse/report-of";

const folder = useFolder();

describe("npm run rehearse, on a real control plane", { timeout: 300_000 }, () => {
  it("brings dev up, drains its only node and loses it, and says what is not rehearsed", async () => {
    const { status, out, err } = await runPiped(main, ["dev"]);
    expect([status, err]).toEqual([0, ""]);
    expect(out).toMatch(/^model-assistant\/model-assistant +StatefulSet +1 of 1 +laptop-0$/m);
    expect(out).toMatch(/^! drain of laptop-0 interrupts what has one replica: .*model assistant/m);
    expect(out).toMatch(/^! loss of laptop-0 puts .*model assistant.* out of service until it is replaced/m);
    expect(out).toContain("pods of 6 Helm charts: envoy-gateway, cert-manager,");
    expect(out).toMatch(/^All as promised: \d+ objects accepted, every pod has its place\.$/m);
  });

  it("forms the group of oci-h100, one pod on each H100 node, and makes it anew when one of them dies", async () => {
    const { status, report } = await reportOf("oci-h100");
    expect(report.findings.filter(({ severity }) => severity === "broken")).toEqual([]);
    expect([status, report.ok]).toEqual([0, true]);
    expect(report.objects.refused).toEqual([]);
    expect(report.workloads.filter(({ readyReplicas, replicas }) => readyReplicas < replicas)).toEqual([]);

    expect(report.groups).toHaveLength(1);
    const [group] = report.groups;
    expect(group).toMatchObject({ name: "llama-405b-0", size: 2, complete: true, onePodPerNode: true });
    expect(group?.pods.map(({ role, name }) => `${role} ${name}`)).toEqual([
      "leader model-llama-405b-0",
      "worker model-llama-405b-0-1",
    ]);
    expect(group?.pods.map(({ node }) => node).sort()).toEqual(["h100-0", "h100-1"]);

    const loss = report.losses.find(({ pool }) => pool === "h100");
    expect(loss).toMatchObject({ recovered: true, groups: [{ name: "llama-405b-0", restartedAsGroup: true }] });
    expect(loss?.workloads).toMatchObject([{ model: "llama-405b", replicas: 1, left: 0 }]);
    expect(loss?.workloads[0]?.waiting[0]?.waitsFor).toContain("Insufficient nvidia.com/gpu");
  });

  const twoReplicas = (maxNodes: number) =>
    environmentIn(
      folder,
      onA10(
        { contextTokens: 4096, replicas: { min: 2, max: 2 } },
        {
          pools: {
            system: { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 },
            gpu: { shape: "VM.GPU.A10.2", minNodes: 1, maxNodes },
          },
        },
      ),
    );

  it("ends a drain that a budget holds by adding a node, as far as the pool allows", async () => {
    const { status, report } = await reportOf("test", "--config", twoReplicas(2));
    expect(status).toBe(0);
    const drain = report.drains.find(({ pool }) => pool === "gpu");
    expect(drain).toMatchObject({ finished: true, evicted: 2, pods: 2, addedNodes: 1, recovered: true });
    expect(drain?.heldBy.map(({ budget }) => budget)).toEqual(["model-chat/model-chat"]);
    expect(drain?.heldBy[0]?.refusals).toBeGreaterThan(1);
    expect(drain?.workloads).toMatchObject([{ model: "chat", replicas: 2, fewest: 1 }]);
    expect(drain?.waiting).toHaveLength(1);
  });

  it("says that a drain cannot end where the pool may have no more nodes", async () => {
    const { status, report } = await reportOf("test", "--config", twoReplicas(1));
    expect(status).toBe(1);
    expect(report.drains.find(({ pool }) => pool === "gpu")).toMatchObject({
      finished: false,
      evicted: 1,
      addedNodes: 0,
      recovered: true,
    });
    expect(report.findings.filter(({ severity }) => severity === "broken")).toEqual([
      {
        severity: "broken",
        rule: "drain",
        subject: "drain of gpu-0",
        message: expect.stringContaining("raise pools.gpu.maxNodes"),
      },
    ]);
  });
});
