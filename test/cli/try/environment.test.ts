import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main as plan } from "../../../cli/plan";
import { hasChatPage, withChatPage } from "../../../cli/try/chat-page";
import { trialEnvironment } from "../../../cli/try/environment";
import type { Tools } from "../../../cli/try/needs";
import { repositoryRoot } from "../../../names/repository-root";
import { shippedText } from "../../../names/shipped-file";
import { parseEnvironmentFile } from "../../../stacks/config";
import { environmentIn, runPiped, useFolder } from "../run";

const folder = useFolder();
const dev = readFileSync(join(repositoryRoot(), "Pulumi.dev.yaml"), "utf8");
const tools = (vcpus: number, memoryGiB: number): Tools => ({
  tool: "k3d",
  engine: "docker",
  size: { vcpus, memoryGiB, cpuArch: "arm64" },
});

describe("the environment of a trial", () => {
  const text = trialEnvironment(dev, tools(4, 11));

  it("is dev's, on a cluster and a machine of its own, without the image that nobody has built", () => {
    const [ours, devs] = [parseEnvironmentFile(text), parseEnvironmentFile(dev)];
    if (!ours.ok || !devs.ok) {
      throw new Error("a file is not right");
    }
    const { cluster, pools, models, gateway, observability, modelControl } = ours.environment;
    expect(cluster).toMatchObject({ kind: "local", provision: "create", local: { tool: "k3d", engine: "docker" } });
    expect(Object.values(pools).map(({ node }) => node)).toEqual([{ vcpus: 4, memoryGiB: 11, cpuArch: "arm64" }]);
    expect([models, gateway, observability]).toEqual([
      devs.environment.models,
      devs.environment.gateway,
      devs.environment.observability,
    ]);
    expect(modelControl.enabled).toBe(false);
  });

  it("says who wrote it, and how all of it goes away", () => {
    expect(text).toMatch(/^# yaml-language-server: |^# try: written by npm run try/);
    expect(text).toContain("npm run try -- --remove");
    expect(text).not.toContain("your-org");
  });

  it.each([
    [4, 11, 0],
    [8, 16, 0],
    [4, 8, 1],
    [2, 16, 1],
  ])("plans for %d CPUs and %d GiB with status %d, as docs/local.md says", async (vcpus, memoryGiB, status) => {
    const file = environmentIn(folder, trialEnvironment(dev, tools(vcpus, memoryGiB)));
    expect((await runPiped(plan, ["try", "--config", file])).status).toBe(status);
  });

  it("plans with a chat page for 4 CPUs and 12 GiB, and has it once", async () => {
    const trial = trialEnvironment(dev, tools(4, 12));
    const text = withChatPage(trial, shippedText("test/fixtures/certificates/example-ca.pem"));
    expect([hasChatPage(trial), hasChatPage(text)]).toEqual([false, true]);
    expect((await runPiped(plan, ["try", "--config", environmentIn(folder, text)])).status).toBe(0);
  });
});
