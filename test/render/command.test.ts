import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { laptop, onA10, useFolder } from "../cli/run";
import { contentOf, objectOf, objectsIn, render, renderOf } from "./run";

const folder = useFolder();

describe("the command line of render", () => {
  it("explains itself", async () => {
    const { status, out, err } = await render("--help");
    expect([status, err]).toEqual([0, ""]);
    for (const option of ["--out DIR", "--config FILE", "--secret-store NAME", "--json"]) {
      expect(out).toContain(option);
    }
  });

  it.each([
    { argv: [], says: "name one environment: aws-prod" },
    { argv: ["dev"], says: "--out DIR is missing" },
    { argv: ["dev", "--out", ""], says: "--out DIR is missing" },
    { argv: ["dev", "oci-a10", "--out", "x"], says: "name one environment" },
    { argv: ["dve", "--out", "x"], says: 'did you mean "dev"?' },
    { argv: ["dev", "--out", "x", "--secret-store", "No Name"], says: "cannot be the name of a ClusterSecretStore" },
    { argv: ["dev", "--out", "x", "--html"], says: "Unknown option '--html'" },
    { argv: ["dev", "--out", join(folder, "file", "below")], says: "cannot write" },
  ])("$argv: bad input", async ({ argv, says }) => {
    writeFileSync(join(folder, "file"), "");
    const { status, out, err } = await render(...argv);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain(says);
    expect(err).not.toMatch(/\n\s+at /);
  });
});

describe("a secret store where up makes the Secrets", () => {
  it("is said to have no effect, and none is said of the default", async () => {
    const gitops = {
      engine: "argo-cd",
      acknowledgeClusterAdmin: true,
      repository: "https://git.example.com/platform/gitops.git",
      path: "clusters/laptop",
    };
    const rendered = (out: string, ...more: string[]) =>
      renderOf(folder, { ...laptop, gitops }, "--out", join(folder, out), ...more);
    const named = await rendered("named-store", "--secret-store", "vault");
    expect([named.status, named.err]).toEqual([0, expect.stringContaining("--secret-store vault is not used")]);
    expect((await rendered("default-store")).err).toBe("");
  });
});

describe("credentials for images", () => {
  it("come from the secret store as a Docker config in every namespace", async () => {
    const out = join(folder, "registry");
    const content = { ...laptop, registryCredentials: { secure: "v1:never-read" } };
    const { status, err } = await renderOf(folder, content, "--out", out);
    expect([status, err]).toEqual([0, ""]);
    const objects = objectsIn(contentOf(out));
    const pulls = objects.filter(({ kind, metadata }) => kind === "ExternalSecret" && metadata.name === "image-pull");
    expect(pulls).toHaveLength(objects.filter(({ kind }) => kind === "Namespace").length);
    for (const pull of pulls) {
      const expression = expect.stringMatching(/^\{\{ \.\w+ \}\}$/);
      const template = { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": expression } };
      expect(pull).toMatchObject({ spec: { target: { template } } });
    }
    // One value in the store, wherever it is used.
    expect(new Set(pulls.map((pull) => JSON.stringify(Object(pull.spec).data[0].remoteRef))).size).toBe(1);
  });
});

describe("a folder", () => {
  const out = join(folder, "deep", "dev");
  beforeAll(async () => {
    expect((await renderOf(folder, laptop, "--out", out)).status).toBe(0);
  });

  it("is made with its parents, says where it comes from, and nothing remains beside it", () => {
    expect(readdirSync(join(folder, "deep"))).toEqual(["dev"]);
    expect(readFileSync(join(out, "README.md"), "utf8")).toMatch(/from the environment `test`, plan `[0-9a-f]{16}`/);
  });

  it("does not change when nothing changed", async () => {
    const { out: text } = await renderOf(folder, laptop, "--out", out);
    expect(text).toMatch(/^Files +0 added · 0 changed · 0 removed · \d+ unchanged$/m);
  });

  it("follows the environment: objects come, change and go, and the summary says so", async () => {
    const changed = join(folder, "changed");
    cpSync(out, changed, { recursive: true });
    const before = contentOf(changed);
    const models = { second: { ...laptop.models.chat, servedName: "second" } };
    const { out: text } = await renderOf(folder, { ...laptop, models }, "--out", changed, "--json");
    const { files } = JSON.parse(text);
    const after = contentOf(changed);
    expect(files.added).toContain("model-second/kustomization.yaml");
    expect(files.removed).toContain("model-chat/kustomization.yaml");
    expect(files.changed).toContain("kustomization.yaml");
    expect([...before.keys()].filter((path) => !after.has(path))).toEqual(files.removed);
    expect(existsSync(join(changed, "model-chat"))).toBe(false);
  });

  it("labels everything as the environment says, also what only GitOps has and what External Secrets makes", async () => {
    const labelled = join(folder, "labelled");
    const labels = { "example.com/team": "blue" };
    expect((await renderOf(folder, { ...laptop, commonLabels: labels }, "--out", labelled)).status).toBe(0);
    const objects = objectsIn(contentOf(labelled));
    expect(new Set(objects.map(({ kind }) => kind))).toEqual(
      expect.objectContaining(new Set(["Application", "AppProject", "ExternalSecret", "Namespace"])),
    );
    for (const { path, kind, metadata, spec } of objects) {
      expect({ path, labels: metadata.labels }).toEqual({ path, labels: expect.objectContaining(labels) });
      if (kind === "ExternalSecret") {
        expect(spec).toMatchObject({ target: { template: { metadata: { labels } } } });
      }
    }
  });

  it("says what the plan advises against: in its README, beside the image that nobody can pull, and in the terminal", async () => {
    const image = "ghcr.io/your-org/inference-model-control:0.1.0";
    const placeholder = join(folder, "placeholder");
    const control = { ...laptop, modelControl: { enabled: true, image } };
    const { out: text } = await renderOf(folder, control, "--out", placeholder);
    const said = `${image} is a placeholder, and its pods would never start`;
    expect(text).toContain(`! model-control-image modelControl.image\n  ${said}`);
    const content = contentOf(placeholder);
    expect(content.get("README.md")).toMatch(
      /\n## Before you apply\n\n(- .+\n)*- `modelControl\.image` \(model-control-image\): /,
    );
    expect(content.get("README.md")).toContain(said);
    const [file] = [...content.values()].filter((each) => each.includes(`image: ${image}`));
    expect(file).toContain(`image: ${image} # a placeholder: these pods never start, see README.md\n`);

    const own = { ...control, modelControl: { enabled: true, image: "ghcr.io/acme/inference-model-control:1.0.0" } };
    const { out: json } = await renderOf(folder, own, "--out", placeholder, "--json");
    expect(JSON.parse(json).advice.map(({ policy }: { policy: string }) => policy)).not.toContain(
      "model-control-image",
    );
    expect([...contentOf(placeholder).values()].join("")).not.toContain("placeholder");
  });

  it("that holds other files is left alone", async () => {
    const foreign = join(folder, "foreign");
    mkdirSync(foreign);
    writeFileSync(join(foreign, "notes.txt"), "mine");
    const other = await renderOf(folder, laptop, "--out", foreign);
    expect([other.status, other.err]).toEqual([2, expect.stringContaining("files that were not rendered")]);
    expect(readdirSync(foreign)).toEqual(["notes.txt"]);

    const mixed = join(folder, "mixed");
    cpSync(out, mixed, { recursive: true });
    writeFileSync(join(mixed, "cluster", "patch.yaml"), "mine");
    const { status, err } = await renderOf(folder, laptop, "--out", mixed);
    expect([status, err]).toEqual([2, expect.stringContaining("cluster/patch.yaml. Move them away")]);
  });

  it("of another environment is left alone: Argo CD would delete all that it made", async () => {
    const { status, err } = await render("dev", "--out", out);
    expect([status, err]).toEqual([2, expect.stringContaining('was rendered from "test", not "dev"')]);
  });

  it("is not touched by a plan that must not be deployed", async () => {
    const before = contentOf(out);
    const budget = { monthlyUsd: 100 };
    const { status, out: text, err } = await renderOf(folder, onA10({}, { budget }), "--out", out);
    expect([status, text]).toEqual([1, ""]);
    expect(err).toMatch(/^test cannot be rendered; nothing was written:\n✗ monthly-budget /);
    expect(contentOf(out)).toEqual(before);
  });

  it("may be a new one, and is not made for a plan that must not be deployed", async () => {
    const never = join(folder, "never");
    const { status } = await renderOf(
      folder,
      onA10({ model: "llama-3.3-70b-instruct", concurrency: 16 }),
      "--out",
      never,
    );
    expect([status, existsSync(never)]).toEqual([1, false]);
  });
});

describe("secrets of the configuration", () => {
  const cipher = "v1:3q2+7w==:dGhlLWNpcGhlcnRleHQ=";
  const secrets = { huggingFaceToken: { secure: cipher }, alertWebhookUrl: { secure: cipher } };
  const out = join(folder, "secrets");
  beforeAll(async () => {
    const { status, err } = await renderOf(
      folder,
      onA10({}, { ...secrets, observability: {} }),
      "--out",
      out,
      "--secret-store",
      "vault",
    );
    expect([status, err]).toEqual([0, ""]);
  });

  it("come from the named store: a whole one, and one inside a text whose rest stays readable", () => {
    const objects = objectsIn(contentOf(out));
    expect(objectOf(objects, "ExternalSecret", "hugging-face").spec).toMatchObject({
      secretStoreRef: { kind: "ClusterSecretStore", name: "vault" },
      target: { template: { data: { token: "{{ .token }}" } } },
      data: [{ secretKey: "token", remoteRef: { key: "test/model-store/hugging-face", property: "token" } }],
    });
    const { spec } = objectOf(objects, "ExternalSecret", "alertmanager-config");
    expect(spec).toMatchObject({
      target: {
        template: { data: { "alertmanager.yaml": expect.stringContaining("- url: {{ .alertWebhookUrl | quote }}\n") } },
      },
      data: [
        {
          secretKey: "alertWebhookUrl",
          remoteRef: { key: "test/observability/alertmanager-config", property: "alertWebhookUrl" },
        },
      ],
    });
  });

  it("are listed with where their owner finds them, and show nowhere", () => {
    const content = contentOf(out);
    expect(content.get("SECRETS.md")).toContain("`pulumi config get huggingFaceToken -s test`");
    for (const text of content.values()) {
      expect(text).not.toContain(cipher);
      expect(text).not.toMatch(/offline-|\.invalid/);
    }
  });
});

describe("an environment whose pods need what only its machine says", () => {
  const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV4YW1wbGUta2V5LW9mLW5vLW1hY2hpbmUtYXQtYWxs";
  const hosts = { box: { address: "gpu-box.example.internal", user: "ops", hostKey } };
  const radeon = {
    stage: "development",
    cluster: { kind: "edge", provision: "create", hosts },
    pools: {
      box: {
        node: {
          card: "radeon-pro-w7900",
          gpuCount: 1,
          vcpus: 32,
          memoryGiB: 128,
          localNvmeGB: 2000,
          networkGbps: 10,
        },
      },
    },
    models: { chat: { model: "qwen3-8b", concurrency: 1 } },
    gateway: { hostname: "inference.example.internal", tls: { kind: "self-signed" } },
  };
  const out = join(folder, "edge");

  it("has a placeholder for it, which no API server takes, and the command that prints it", async () => {
    const { status, err } = await renderOf(folder, radeon, "--out", out);
    expect([status, err]).toEqual([0, expect.not.stringContaining("gpuDevices")]);
    const files = contentOf(out);
    const pods = [...files].filter(([path]) => path.startsWith("model-chat/")).map(([, text]) => text);
    expect(pods.join("\n")).toMatch(/supplementalGroups:\s+- GPU_DEVICE_GROUP # a placeholder/);
    const page = files.get("README.md") ?? "";
    expect(page).toContain("## Before you apply");
    for (const part of ["stat -c %g /dev/kfd", "cluster.gpuDevices.groups: [<number>]", "sed -i"]) {
      expect(page).toContain(part);
    }
  });

  it("is rendered with the number that is written", async () => {
    const cluster = { ...radeon.cluster, gpuDevices: { groups: [109] } };
    const { status, err } = await renderOf(folder, { ...radeon, cluster }, "--out", out);
    expect([status, err]).toEqual([0, expect.not.stringContaining("gpuDevices")]);
    const pods = [...contentOf(out)].filter(([path]) => path.startsWith("model-chat/")).map(([, text]) => text);
    expect(pods.join("\n")).toMatch(/supplementalGroups:\s+- 109\n/);
  });
});
