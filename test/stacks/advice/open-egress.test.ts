import { describe, expect, it } from "vitest";
import { openEgress } from "../../../stacks/advice/open-egress";
import { sharedRun } from "../run";

const gateway = {
  hostname: "inference.example.com",
  exposure: "ClusterIP",
  tls: { kind: "self-signed" },
};
const models = {
  assistant: { model: "qwen2.5-0.5b-instruct", engine: "ollama", contextTokens: 4096, concurrency: 2 },
};

describe("pods that reach any public address", () => {
  it("are named with the key that narrows it", async () => {
    const { plan, environment } = await sharedRun("dev", { models, gateway });
    expect(openEgress({ plan, environment })).toMatchObject([
      {
        rule: "open-egress",
        message: expect.stringContaining("models.assistant (storage.proxy, or storage.registryNetworks)"),
      },
    ]);
    const storage = { ...environment.storage, registryNetworks: ["203.0.113.0/24"] };
    expect(openEgress({ plan, environment: { ...environment, storage } })).toEqual([]);
  });
});
