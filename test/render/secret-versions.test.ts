import { expect, it } from "vitest";
import { ANNOTATIONS } from "../../names/labels";
import { withoutSecretVersion } from "../../render/secret-versions";

const versioned = { annotations: { [ANNOTATIONS.secretVersion]: "of the deployment", own: "kept" } };

it("leaves no version of a Secret on an object or its pods, and all else as it is", () => {
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "agent", ...versioned },
    spec: { replicas: 1, template: { metadata: versioned, spec: {} } },
  };
  const annotations = { own: "kept" };
  expect(withoutSecretVersion(deployment)).toEqual({
    ...deployment,
    metadata: { name: "agent", annotations },
    spec: { replicas: 1, template: { metadata: { annotations }, spec: {} } },
  });
});

it("leaves no empty annotations", () => {
  const only = { annotations: { [ANNOTATIONS.secretVersion]: "of the deployment" } };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", ...only } };
  expect(withoutSecretVersion(object)).toEqual({ ...object, metadata: { name: "settings" } });
});
