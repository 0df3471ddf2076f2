import { beforeAll, describe, expect, it } from "vitest";
import { imageEntry } from "../../../catalog/images";
import { fixedPageVariables, OPEN_WEBUI_VERSION, otherPageVariables } from "../../../catalog/open-webui";
import { gatewayLinkConfig } from "../../../components/open-webui/gateway-link";
import { SECRET_VARIABLES } from "../../../components/open-webui/names";
import { pageVariables } from "../../../components/open-webui/variables";
import { keeperPolicy } from "../../../components/storage/store-layout";
import { ANNOTATIONS } from "../../../names/labels";
import { shippedText } from "../../../names/shipped-file";
import { type ProgramRun, sharedRun } from "../../stacks/run";

const STATEFUL_SET = "kubernetes:apps/v1:StatefulSet";
const CRON_JOB = "kubernetes:batch/v1:CronJob";
const NETWORK_POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy";
const SECRET = "kubernetes:core/v1:Secret";

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}

interface PodTemplate {
  readonly spec: {
    readonly automountServiceAccountToken: boolean;
    readonly priorityClassName: string;
    readonly containers: readonly { readonly name: string; readonly env: readonly Variable[] }[];
    readonly initContainers: readonly { readonly name: string; readonly restartPolicy?: string }[];
  };
}

const settings = { address: "https://chat.example.com", adminEmail: "a@example.com", models: ["assistant", "coder"] };
const signIn = { issuer: "https://login.example.com/realms/a/", clientId: "page", newUsers: "user" } as const;

describe("variables of the page", () => {
  it("are those of the pinned release, all of them recorded", () => {
    expect(imageEntry("open-webui").tag).toBe(`v${OPEN_WEBUI_VERSION}-slim`);
    const recorded = [...fixedPageVariables, ...otherPageVariables].map(({ name }) => name);
    const set = Object.keys({
      ...pageVariables(settings, "/data"),
      ...pageVariables({ ...settings, signIn }, "/data"),
    });
    expect([...set, ...Object.values(SECRET_VARIABLES)].sort()).toEqual(recorded.sort());
  });

  it("name the models, because the gateway lists others too", () => {
    const configs = JSON.parse(pageVariables(settings, "/data").OPENAI_API_CONFIGS ?? "");
    expect(configs).toEqual({ "0": { enable: true, model_ids: ["assistant", "coder"] } });
  });

  it("take browsers that come by a forwarded port", () => {
    const forwardedAddress = "https://chat.example.com:8443";
    expect(pageVariables({ ...settings, forwardedAddress }, "/data")).toMatchObject({
      WEBUI_URL: settings.address,
      CORS_ALLOW_ORIGIN: `${settings.address};${forwardedAddress}`,
    });
  });

  it("make no accounts without an issuer, and with one those that it lets in", () => {
    const passwords = pageVariables(settings, "/data");
    expect(passwords).toMatchObject({ ENABLE_SIGNUP: "false", ENABLE_OAUTH: "false", DEFAULT_USER_ROLE: "pending" });
    expect(passwords).not.toHaveProperty("ENABLE_OAUTH_SIGNUP");
    expect(pageVariables({ ...settings, signIn }, "/data")).toMatchObject({
      ENABLE_SIGNUP: "false",
      ENABLE_OAUTH_SIGNUP: "true",
      OPENID_PROVIDER_URL: "https://login.example.com/realms/a/.well-known/openid-configuration",
      OPENID_REDIRECT_URI: "https://chat.example.com/oauth/oidc/callback",
      DEFAULT_USER_ROLE: "user",
    });
  });
});

describe("the way to the gateway", () => {
  it("is by its Service, with the certificate checked for the gateway's name", () => {
    const config = gatewayLinkConfig({ hostname: "models.example.com", authorities: "/etc/ca.pem" });
    expect(config).toMatchObject({
      static_resources: {
        listeners: [{ address: { socket_address: { address: "127.0.0.1", port_value: 8081 } } }],
        clusters: [
          {
            load_assignment: {
              endpoints: [
                {
                  lb_endpoints: [
                    {
                      endpoint: {
                        address: {
                          socket_address: {
                            address: "inference.inference-gateway.svc.cluster.local",
                            port_value: 443,
                          },
                        },
                      },
                    },
                  ],
                },
              ],
            },
            transport_socket: {
              typed_config: {
                sni: "models.example.com",
                common_tls_context: {
                  validation_context: {
                    trusted_ca: { filename: "/etc/ca.pem" },
                    match_typed_subject_alt_names: [{ san_type: "DNS", matcher: { exact: "models.example.com" } }],
                  },
                },
              },
            },
          },
        ],
      },
    });
  });
});

describe("in edge-nvidia", () => {
  let run: ProgramRun;
  let pod: PodTemplate["spec"];

  beforeAll(async () => {
    run = await sharedRun("edge-nvidia", {
      gateway: {
        hostname: "inference.example.internal",
        tls: { kind: "secret", secretName: "gateway-tls" },
        consumers: { default: {}, "open-webui": { models: ["chat"] } },
      },
      openWebUi: {
        hostname: "chat.example.internal",
        adminEmail: "ops@example.internal",
        gatewayAuthorities: shippedText("test/fixtures/certificates/example-ca.pem"),
      },
    });
    const set = run.deployment.resource(STATEFUL_SET, "platform-open-webui-page-statefulset");
    pod = (set.inputs.spec as { readonly template: PodTemplate }).template.spec;
  });

  it("the page has the key of its consumer, and no other", () => {
    const key = run.deployment.resource(SECRET, "platform-gateway-keys-open-webui-secret").inputs.stringData;
    const own = run.deployment.resource(SECRET, "platform-open-webui-secret").inputs.stringData;
    expect(own).toMatchObject({ OPENAI_API_KEYS: (key as Record<string, string>)["open-webui"] });
    expect(Object.keys(own as object).sort()).toEqual(["OPENAI_API_KEYS", "WEBUI_ADMIN_PASSWORD", "WEBUI_SECRET_KEY"]);
  });

  it("secrets are no text of the pod, and the pod has no token of Kubernetes", () => {
    const env = pod.containers[0]?.env ?? [];
    for (const name of ["OPENAI_API_KEYS", "WEBUI_ADMIN_PASSWORD", "WEBUI_SECRET_KEY"]) {
      expect(env.find((each) => each.name === name)).toEqual({
        name,
        valueFrom: { secretKeyRef: { name: "open-webui", key: name } },
      });
    }
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.priorityClassName).toBe("inference-serving");
  });

  it("Envoy starts before the page, and runs as long as it does", () => {
    expect(pod.initContainers).toMatchObject([{ name: "gateway-link", restartPolicy: "Always" }]);
  });

  it("the volume of users and chats is kept, and copied each night; nothing puts a copy back by itself", () => {
    const claim = run.deployment.resource("kubernetes:core/v1:PersistentVolumeClaim", "platform-open-webui-data");
    expect(claim.options).toMatchObject({ protect: true, retainOnDelete: true });
    const nightly = run.deployment.resource(CRON_JOB, "platform-open-webui-backup-nightly");
    const restore = run.deployment.resource(CRON_JOB, "platform-open-webui-backup-restore");
    expect(nightly.inputs.spec).toMatchObject({ suspend: false, concurrencyPolicy: "Forbid" });
    expect(restore.inputs.spec).toMatchObject({ suspend: true });
  });

  it("the page reaches the gateway, its copies the store, and nothing else", () => {
    const granted = (policy: string) => {
      const { metadata } = run.deployment.resource(NETWORK_POLICY, `platform-open-webui-namespace-${policy}`)
        .inputs as {
        readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
      };
      return metadata.annotations[ANNOTATIONS.connections]?.split("\n").map((line) => line.split(":")[0]);
    };
    expect(granted("allow-open-webui")).toEqual(["in gateway-to-open-webui", "out open-webui-to-gateway"]);
    expect(granted("allow-open-webui-backup")).toEqual(["out open-webui-backup-to-model-store"]);
  });

  it("the stack names the address, and how to read the first password", () => {
    expect(run.recording.outputs.openWebUi).toEqual({
      address: "https://chat.example.internal",
      adminEmail: "ops@example.internal",
      adminPassword:
        "kubectl -n open-webui get secret open-webui -o jsonpath='{.data.WEBUI_ADMIN_PASSWORD}' | base64 -d",
    });
  });
});

it("a keeper of copies reads and writes its own folder alone", () => {
  const [objects, listing] = keeperPolicy("models", "_backups/open-webui").Statement;
  expect(objects?.Resource).toEqual(["arn:aws:s3:::models/_backups/open-webui/*"]);
  expect(listing?.Condition).toEqual({
    StringLike: { "s3:prefix": ["_backups/open-webui/", "_backups/open-webui/*"] },
  });
});
