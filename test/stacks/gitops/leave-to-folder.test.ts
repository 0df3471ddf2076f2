import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { defaultAnswers } from "../../../offline/answers";
import { assertKeepsPlatform, engineState, StillOwnedError } from "../../../stacks/gitops/keeps-platform";
import { engineMonitor, leaveToFolder } from "../../../stacks/gitops/leave-to-folder";
import { deploy } from "../../harness/deploy";

const metadata = { name: "x", namespace: "s" };

describe("what is left to the folder", () => {
  it("reaches no engine, no dependency names it, and its names are known", async () => {
    const { recording } = await deploy(() => {
      leaveToFolder(engineMonitor(), ({ urn }) => (urn.includes("ConfigMap") ? "folder" : "up"));
      const map = new kubernetes.core.v1.ConfigMap("map", { metadata, data: { key: "value" } });
      new kubernetes.core.v1.Secret(
        "secret",
        {
          metadata: { ...metadata, name: map.metadata.name },
          stringData: { id: map.id, key: pulumi.unsecret(map.data).apply(({ key }) => key ?? "") },
        },
        { dependsOn: [map] },
      );
    });
    const secret = recording.resources.find(({ name }) => name === "secret");
    expect(secret?.inputs).toMatchObject({ metadata, stringData: { id: "s/x", key: "value" } });
    expect({ waitsFor: secret?.waitsFor, origins: secret?.origins }).toEqual({ waitsFor: [], origins: {} });
    // It was constructed, and nothing answered for it.
    expect(recording.resources.find(({ name }) => name === "map")?.inputs).toEqual({});
  });
});

const FOLDERS = "urn:pulumi:prod::p::inference:platform:Platform$kubernetes:apps/v1:Deployment::chat";
const UPS = "urn:pulumi:prod::p::inference:platform:Platform$kubernetes:core/v1:Namespace::chat";
const ROOT =
  "urn:pulumi:prod::p::inference:platform:Platform$inference:argo-cd:ArgoCd$kubernetes:argoproj.io/v1alpha1:Application::root";
const rootOf = (platform: string) => ({ [ROOT]: { outputs: { metadata: { name: `inference-${platform}-root` } } } });
const WITH_GITOPS = { address: "x", gitops: { engine: "argo-cd" } };
const state = (outputs: object, resources: object) => ({
  stackOutputs: async () => ({ ...outputs }),
  resourceOutputs: async () => ({ ...resources }),
});

describe("a state that is to be left to the folder", () => {
  it("is refused while it holds what the folder has", async () => {
    const refused = assertKeepsPlatform("o/p/prod", "prod", state({ address: "x" }, { [FOLDERS]: {}, [UPS]: {} }));
    await expect(refused).rejects.toThrow(StillOwnedError);
    await expect(refused).rejects.toThrow("npm run gitops -- release");
  });

  it("is asked for by the names that the engine has for a stack", async () => {
    const asked: unknown[] = [];
    await deploy(
      async () => {
        new kubernetes.core.v1.ConfigMap("map", { metadata });
        await engineState.stackOutputs("o/p/prod");
        await engineState.resourceOutputs("o/p/prod");
      },
      {
        answers: {
          ...defaultAnswers,
          call: (token, inputs) => {
            asked.push([token, inputs]);
            return { outputs: {} };
          },
        },
      },
    );
    expect(asked).toEqual([
      ["pulumi:pulumi:readStackOutputs", { name: "o/p/prod" }],
      ["pulumi:pulumi:readStackResourceOutputs", { stackName: "o/p/prod" }],
    ]);
  });

  it("is taken once that is released, and where there is none yet", async () => {
    await assertKeepsPlatform("o/p/prod", "prod", state({ address: "x" }, { [UPS]: {} }));
    const fresh = { ...state({}, {}), resourceOutputs: () => Promise.reject(new Error("no snapshot")) };
    await assertKeepsPlatform("o/p/prod", "prod", fresh);
  });

  it("is refused where the root Application has another name, as after a stack was renamed", async () => {
    const refused = assertKeepsPlatform("o/p/lab", "lab", state(WITH_GITOPS, { ...rootOf("prod"), [UPS]: {} }));
    await expect(refused).rejects.toThrow(StillOwnedError);
    await expect(refused).rejects.toThrow(
      /inference-prod-root, and inference-lab-root .*\nFix: set gitops\.name .*: prod\./,
    );
    await assertKeepsPlatform("o/p/lab", "prod", state(WITH_GITOPS, { ...rootOf("prod"), [UPS]: {} }));
  });

  it("is refused without the section while it has the root Application, until the folder's objects are taken back", async () => {
    const refused = assertKeepsPlatform("o/p/prod", undefined, state(WITH_GITOPS, { ...rootOf("prod"), [UPS]: {} }));
    await expect(refused).rejects.toThrow(
      /inference-prod-root, which `up` would delete without the section.*\nFix: .*take-back/,
    );
    await assertKeepsPlatform("o/p/prod", undefined, state(WITH_GITOPS, { ...rootOf("prod"), [FOLDERS]: {} }));
  });

  it("is not read without the section where it never had it", async () => {
    const read = { ...state({ address: "x" }, {}), resourceOutputs: () => Promise.reject(new Error("read")) };
    await assertKeepsPlatform("o/p/prod", undefined, read);
  });
});
