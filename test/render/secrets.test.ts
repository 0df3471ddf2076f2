import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { chartOf } from "../../render/application";
import { claimValues, externalSecret } from "../../render/external-secret";
import { PendingText, type PendingValue } from "../../render/pending-values";
import { RemoteSecrets } from "../../render/remote-secrets";
import { secretEntry } from "../../render/secrets-list";
import { crdProblems } from "../harness/crds";

const PASSWORD = "random:index/randomPassword:RandomPassword";
const password: PendingValue = {
  id: "password",
  origin: {
    kind: "provider",
    type: PASSWORD,
    name: "root-password",
    output: "result",
    inputs: { length: 40, special: false },
  },
};
const url: PendingValue = { id: "url", origin: { kind: "config", key: "alertWebhookUrl" } };
const text = (...parts: (string | PendingValue)[]) => new PendingText(parts);

function secret(name: string, content: Readonly<Record<string, unknown>>, field = "stringData"): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "store", labels: { a: "b" } },
    [field]: content,
  };
}

function rendered(secrets: readonly KubernetesObject[], remote = new RemoteSecrets("dev", "vault")) {
  for (const object of secrets) {
    claimValues(object, remote);
  }
  const objects = secrets.map((object) => externalSecret(object, remote));
  expect(objects.flatMap((object) => crdProblems(JSON.parse(JSON.stringify(object))))).toEqual([]);
  return { objects, listed: remote.list() };
}

describe("a Secret", () => {
  it("fetches what is secret, and says the rest in its template", () => {
    const { objects } = rendered([secret("root", { user: "admin {{x}}", "pass-word": text(password) })]);
    expect(objects).toMatchObject([
      {
        kind: "ExternalSecret",
        metadata: { name: "root", namespace: "store" },
        spec: {
          secretStoreRef: { kind: "ClusterSecretStore", name: "vault" },
          target: { template: { data: { user: 'admin {{ "{{" }}x}}', "pass-word": "{{ .pass_word }}" } } },
          data: [{ secretKey: "pass_word", remoteRef: { key: "dev/store/root", property: "pass-word" } }],
        },
      },
    ]);
  });

  it("shares a value with another one that stands alone in it, wherever it comes first", () => {
    const { objects, listed } = rendered([
      secret("first", { line: text("user:", password) }),
      secret("second", { key: text(password) }),
      secret("third", { key: text(password) }),
    ]);
    const place = { key: "dev/store/second", property: "key" };
    for (const { spec } of objects) {
      expect(spec).toMatchObject({ data: [{ remoteRef: place }] });
    }
    expect(listed).toEqual([{ ...place, value: password, usedBy: ["store/first", "store/second", "store/third"] }]);
  });

  it("makes a hash of a value again in the cluster, from where the value lies", () => {
    const hash = new PendingText(['{"sha256":"', { sha256Of: password }, '"}']);
    const { objects, listed } = rendered([
      secret("hashes", { file: hash }),
      secret("token", { token: text(password) }),
    ]);
    expect(objects[0]).toMatchObject({
      spec: {
        target: { template: { data: { file: '{"sha256":"{{ .root_password | sha256sum }}"}' } } },
        data: [{ secretKey: "root_password", remoteRef: { key: "dev/store/token", property: "token" } }],
      },
    });
    expect(listed.map(({ property, usedBy }) => [property, usedBy])).toEqual([
      ["token", ["store/hashes", "store/token"]],
    ]);
  });

  it("takes a text that hides its secrets as a whole from the store, also base64 data", () => {
    const { listed } = rendered([
      secret("hash", { htpasswd: new PendingText(undefined) }),
      secret("data", { token: text(password) }, "data"),
    ]);
    expect(listed.map(({ key, property, value }) => [key, property, value])).toEqual([
      ["dev/store/data", "token", undefined],
      ["dev/store/hash", "htpasswd", undefined],
    ]);
  });

  it("quotes a value that stands in quotes, whatever it holds, and leaves hashes and bare values alone", () => {
    const mixed = new PendingText(['{"a": "', password, '", "b": "', url, '"}']);
    const { objects } = rendered([
      secret("mixed", { mixed, bare: text("a: ", url, "\n"), hash: new PendingText(['"', { sha256Of: url }, '"']) }),
    ]);
    expect(objects[0]?.spec).toMatchObject({
      target: {
        template: {
          data: {
            mixed: '{"a": {{ .root_password | quote }}, "b": {{ .alertWebhookUrl | quote }}}',
            bare: "a: {{ .alertWebhookUrl }}\n",
            hash: '"{{ .alertWebhookUrl | sha256sum }}"',
          },
        },
      },
    });
  });

  it("without anything secret is refused: Git would hold a Secret", () => {
    expect(() => rendered([secret("config", { "a.yaml": "x: {{ y }}" })])).toThrow(
      "Secret store/config: nothing in it is secret. Make it a ConfigMap",
    );
  });

  it("whose keys would get one name in the template is refused", () => {
    expect(() => rendered([secret("root", { "a-b": text(password), a_b: text(url), c: "d" })])).toThrow(
      "two values that would both be called a_b",
    );
  });
});

describe("a chart", () => {
  const chart = (name: string, values: unknown) =>
    chartOf("urn", { chart: `oci://registry.example/${name}`, version: "1.0.0", name: "r", namespace: "s", values });
  it("comes from a registry without its scheme, or from an index", () => {
    expect(chart("lws", {})).toMatchObject({ repository: "registry.example", name: "lws" });
    const index = {
      chart: "c",
      repositoryOpts: { repo: "https://charts.example" },
      version: "1",
      name: "r",
      namespace: "s",
    };
    expect(chartOf("urn", index)).toMatchObject({ repository: "https://charts.example", name: "c", values: {} });
    expect(() => chartOf("urn", { ...index, version: undefined })).toThrow("urn has no version");
  });
});

describe("the list of secrets", () => {
  const place = { key: "k", property: "p", usedBy: [] };

  it("says what each value is and how to make it", () => {
    expect(secretEntry("dev", { ...place, value: password })).toMatchObject({
      value: "40 random letters and digits",
      generate: "openssl rand -base64 80 | tr -dc A-Za-z0-9 | head -c 40",
    });
    expect(secretEntry("dev", { ...place, value: url }).generate).toBe("pulumi config get alertWebhookUrl -s dev");
    expect(secretEntry("dev", { ...place, value: undefined })).toMatchObject({
      value: expect.stringContaining("made by the program out of other secrets"),
      generate: undefined,
    });
  });
});
