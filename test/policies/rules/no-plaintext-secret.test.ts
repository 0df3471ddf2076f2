import { expect, test } from "vitest";
import { evaluatePolicies } from "../../../policies/evaluate";
import { noPlaintextSecret } from "../../../policies/rules/no-plaintext-secret";
import { container, deployment, object, podSpec, policyCases, release, resource, UNKNOWN, workload } from "../cases";

const env = (name: string, value: unknown) => [
  deployment(podSpec({ containers: [container({ env: [{ name, value }] })] })),
];
const args = (...list: unknown[]) => [deployment(podSpec({ containers: [container({ args: list })] }))];
const config = (data: unknown) => [object("core/v1", "ConfigMap", { data }, { namespace: "model-chat" })];
const reference = { name: "HF_TOKEN", valueFrom: { secretKeyRef: { name: "hugging-face", key: "token" } } };
// Assembled here, so that scanners of this repository find nothing.
const ACCESS_KEY_ID = `AKIA${"IOSFODNN7EXAMPLE"}`;
const PRIVATE_KEY = `-----BEGIN ${"EC PRIVATE"} KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----\n${"MIIBszCCAVmgAwIBAgIUQ9x2".repeat(8)}\n-----END CERTIFICATE-----`;
const RANDOM = ["aZ3kQ9xW7bLm2Tn8", "Vr5Yc1Jd6Hf4Gs0P"].join("");
const secret = (secretInputs: string[] | undefined) => ({
  ...resource("kubernetes:core/v1:Secret", { metadata: { name: "keys", namespace: "a" }, stringData: { token: "x" } }),
  secretInputs: secretInputs as string[],
});

const route = (type: string, value: string) => [
  object(
    "gateway.networking.k8s.io/v1",
    "HTTPRoute",
    { spec: { rules: [{ matches: [{ headers: [{ type, name: "Authorization", value }] }] }] } },
    { name: "chat", namespace: "gw" },
  ),
];

policyCases(noPlaintextSecret, [
  [
    "a password as the value of a property",
    [object("ray.io/v1", "RayCluster", { spec: { gcsFaultToleranceOptions: { redisPassword: { value: "word" } } } })],
    ["redisPassword.value holds"],
  ],
  ["Valkey's password", config({ "valkey.conf": "port 6379\nrequirepass word\n" }), ["valkey.conf"]],
  ["a primary's password", config({ "valkey.conf": "primaryauth word\n" }), ["valkey.conf"]],
  ["a user of Valkey", config({ "users.acl": "user default off\nuser ray on >word ~* +@all\n" }), ["users.acl"]],
  ["users of Valkey without passwords", config({ "users.acl": "user default off\nuser ray on #$HASH ~*\n" }), "pass"],
  ["settings of Valkey", config({ "valkey.conf": "protected-mode yes\naclfile /run/acl/users.acl\n" }), "pass"],
  [
    "what Alertmanager sends",
    config({ "a.yaml": "authorization:\n  type: Bearer\n  credentials: word\n" }),
    ["a.yaml"],
  ],
  ["a file that Alertmanager sends", config({ "a.yaml": "authorization:\n  credentials_file: /etc/a/b\n" }), "pass"],
  ["a reference", [deployment(podSpec({ containers: [container({ env: [reference] })] }))], "pass"],
  ["harmless variables", [...env("TOKENIZERS_PARALLELISM", "false"), ...env("MAX_TOKENS", "4096")], "pass"],
  ["a path to a mounted key", env("MINIO_ROOT_PASSWORD", "/run/secrets/password"), "pass"],
  ["a file variable", env("AWS_WEB_IDENTITY_TOKEN_FILE", "/var/run/token"), "pass"],
  ["a public key", env("LANGFUSE_PUBLIC_KEY", "pk-lf-1234"), "pass"],
  ["an expanded reference", env("API_KEY", "$(GATEWAY_KEY)"), "pass"],
  ["a switch", env("REQUIRE_TOKEN", "true"), "pass"],
  [
    "digests, revisions and model paths",
    env("MODEL", `models/meta-llama/Llama-3.1-70B@${"0a1b2c3d".repeat(5)} sha256:${"e4".repeat(32)}`),
    "pass",
  ],
  ["a certificate", config({ "ca.crt": CERTIFICATE }), "pass"],
  [
    "a dashboard",
    config({ "vllm.json": '{"expr": "histogram_quantile(0.95, rate(vllm:time_to_first_token_seconds_bucket[5m]))"}' }),
    "pass",
  ],
  ["a flag that names a file", args("--api-key-file=/run/key", "--tensor-parallel-size=4"), "pass"],
  [
    "chart values that refer to a Secret",
    [release({ values: { admin: { existingSecret: "grafana", passwordKey: "password" } } })],
    "pass",
  ],

  [
    "a literal password",
    env("MINIO_ROOT_PASSWORD", "correct-horse"),
    ["env[0].value holds a literal value under the name of a credential; allowed: a reference to a Secret"],
  ],
  ["a literal key", env("WEBUI_SECRET_KEY", "abc"), ["under the name of a credential"]],
  ["a literal token", env("HF_TOKEN", "abc"), ["under the name of a credential"]],
  ["an AWS key id in any variable", env("NOTE", ACCESS_KEY_ID), ["holds what looks like an AWS access key id"]],
  [
    "a bearer header",
    args("--header", `Authorization: Bearer ${"a1B2".repeat(5)}`),
    ["args[1] holds what looks like a bearer token"],
  ],
  ["a URL with a password", env("REDIS_URL", "redis://user:hunter2@redis:6379"), ["a URL with a password"]],
  ["a random key", env("SALT", RANDOM), ["a random key"]],
  ["a flag with a key", args("--api-key=abc"), ["args[0] holds a literal value"]],
  [
    "a private key in a ConfigMap",
    config({ "tls.pem": PRIVATE_KEY }),
    ['ConfigMap "model-chat/chat": data["tls.pem"] holds what looks like a private key'],
  ],
  ["a password in a ConfigMap", config({ password: "hunter2" }), ["data.password"]],
  ["a password in chart values", [release({ values: { adminPassword: "prom-operator" } })], ["values.adminPassword"]],
  [
    "a vendor's token in chart values",
    [release({ values: { list: [{ x: `hf_${"aB3d".repeat(9)}` }] } })],
    ["values.list[0].x holds what looks like a vendor's API token"],
  ],

  ["a pattern that a route's header must match", route("RegularExpression", "Bearer eyJ.+"), "pass"],
  ["a header's very value", route("Exact", "Bearer hunter2"), ["headers[0].value holds a literal value"]],
  ["a token in a pattern", route("RegularExpression", `hf_${"aB3d".repeat(9)}`), ["looks like a vendor's API token"]],
  ["a short password variable", env("DB_PASS", "hunter2"), ["env[0].value holds a literal value"]],
  ["a password that begins like a path", env("DB_PASSWORD", "/hunter2"), ["under the name of a credential"]],
  ["a flag and its value", args("--password", "hunter2"), ["args[1] holds a literal value"]],
  ["a flag and a reference", args("--password", "$(PASSWORD)", "--verbose"), "pass"],
  ["a flag that names a mounted file", args("--password-file", "/run/secrets/key"), "pass"],
  ["a shell's flag", args("-c", "exec tool --token=hunter2 --quiet"), ["args[1] holds a literal value"]],
  ["a shell's variable", args("-c", 'export API_KEY="hunter2"; exec tool'), ["args[1] holds a literal value"]],
  ["a shell that reads a file", args("-c", 'API_KEY="$(cat /run/key)" exec tool --token="$TOKEN"'), "pass"],
  [
    "an annotation of an object",
    [object("core/v1", "Service", {}, { namespace: "a", annotations: { "acme.io/api-token": "hunter2" } })],
    ['metadata.annotations["acme.io/api-token"] holds a literal value'],
  ],
  [
    "an annotation of a pod",
    [workload("apps/v1", "Deployment", { template: { metadata: { annotations: { note: ACCESS_KEY_ID } } } })],
    ["spec.template.metadata.annotations.note holds what looks like an AWS access key id"],
  ],
  [
    "binary data",
    [object("core/v1", "ConfigMap", { binaryData: { blob: Buffer.from(PRIVATE_KEY).toString("base64") } })],
    ["binaryData.blob holds what looks like a private key"],
  ],
  [
    "a header of a probe",
    [
      deployment(
        podSpec({
          containers: [
            container({
              readinessProbe: { httpGet: { httpHeaders: [{ name: "Authorization", value: "Basic abc" }] } },
            }),
          ],
        }),
      ),
    ],
    ["readinessProbe.httpGet.httpHeaders[0].value holds a literal value"],
  ],
  [
    "values of an Argo CD Application",
    [workload("argoproj.io/v1alpha1", "Application", { source: { helm: { valuesObject: { adminPassword: "x" } } } })],
    ["spec.source.helm.valuesObject.adminPassword holds a literal value"],
  ],
  [
    "values of a chart of the next generation",
    [resource("kubernetes:helm.sh/v4:Chart", { chart: "grafana", values: { adminPassword: "hunter2" } })],
    ["values.adminPassword holds a literal value"],
  ],
  [
    "a patch of a ConfigMap",
    [object("core/v1", "ConfigMapPatch", { data: { password: "hunter2" } })],
    ["data.password"],
  ],

  ["a Secret made of a Pulumi secret", [secret(["stringData"])], "pass"],
  ["a Secret of which nobody says whether it is one", [secret(undefined)], "pass"],
  ["a Secret in plain text", [secret([])], ["stringData is no Pulumi secret"]],
  ["unknown value of a credential", env("HF_TOKEN", UNKNOWN), "unknown"],
  ["unknown value of anything else", env("LOG_LEVEL", UNKNOWN), "pass"],
  ["unknown data", config(UNKNOWN), "unknown"],
]);

test("no message repeats the credential", () => {
  const resources = [
    ...env("PASSWORD", "hunter2"),
    ...config({ x: ACCESS_KEY_ID }),
    release({ values: { token: RANDOM } }),
    ...args(`--token=${RANDOM}`),
  ];
  const { violations } = evaluatePolicies(resources, { project: "p", stack: "s", policies: [noPlaintextSecret] });
  expect(violations).toHaveLength(4);
  expect(JSON.stringify(violations)).not.toMatch(new RegExp(`hunter2|${ACCESS_KEY_ID}|${RANDOM}`));
});
