import { container, deployment, object, podSpec, release, resource } from "../subjects";
import { type Attack, base64, inModel } from "./attack";

const SECRET = "no-plaintext-secret";
/** Made up, and put together here so that no scanner takes it for a real one. */
const WORD = ["hunter2", "hunter2"].join("");
const JWT = ["eyJhbGciOiJSUzI1NiJ9", "eyJpc3MiOiJrdWJlcm5ldGVzIn0", "c2lnbmF0dXJlLXRoYXQ"].join(".");
const pod = (changes: Record<string, unknown>) => [deployment(podSpec({ containers: [container(changes)] }))];
const text = (data: Record<string, string>) => [inModel("core/v1", "ConfigMap", { data })];
const variable = (name: string, value: string) => pod({ env: [{ name, value }] });

export const SECRETS: readonly Attack[] = [
  ["Valkey's password", SECRET, text({ "valkey.conf": `requirepass ${WORD}` })],
  ["a user of Valkey", SECRET, text({ "users.acl": `user ray on >${WORD} ~* +@all` })],
  [
    "a token in a URL",
    SECRET,
    variable("MODEL_URL", "https://huggingface.co/x?token=8f14e45fceea167a5a36dedd4bea2543"),
  ],
  [
    "a token in a URL of an init container",
    SECRET,
    [
      deployment(
        podSpec({ initContainers: [container({ env: [{ name: "A", value: `https://a.example/?api_key=${WORD}` }] })] }),
      ),
    ],
  ],
  ["a password of curl's", SECRET, pod({ command: ["curl", "-u", "admin:Tr0ub4dor&3xyz", "https://a.example"] })],
  ["a password of redis-cli's", SECRET, pod({ command: ["redis-cli", "-a", WORD, "ping"] })],
  ["a password of psql's", SECRET, variable("PGPASSWORD", WORD)],
  ["a header with a password", SECRET, pod({ args: ["-H", `Authorization: Basic ${base64(`admin:${WORD}`)}`] })],
  ["a script of a ConfigMap", SECRET, text({ "run.sh": `#!/bin/sh\nexport TOKEN=${WORD}\nexec serve\n` })],
  ["a flag in a script", SECRET, text({ "run.sh": `#!/bin/sh\nserve --password ${WORD}\n` })],
  ["a setting of YAML", SECRET, text({ "a.yaml": `store:\n  password: ${WORD}\n` })],
  ["a setting of JSON", SECRET, text({ "a.json": `{"clientSecret": "${WORD}"}` })],
  ["a property", SECRET, text({ "a.properties": `spring.datasource.password=${WORD}\n` })],
  ["a file of variables", SECRET, text({ ".env": "DB_PASSWORD=correcthorsebattery\n" })],
  [
    "a trigger of KEDA's",
    SECRET,
    [
      inModel("keda.sh/v1alpha1", "ScaledObject", {
        spec: { triggers: [{ type: "redis", metadata: { password: WORD } }] },
      }),
    ],
  ],
  [
    "a lasting token of an account",
    SECRET,
    [
      resource(
        "kubernetes:core/v1:Secret",
        { metadata: { name: "a", namespace: "model-chat" }, type: "kubernetes.io/service-account-token" },
        { secretInputs: ["data"] },
      ),
    ],
  ],
  [
    "a repository of charts",
    SECRET,
    [release({ repositoryOpts: { repo: "https://charts.example", username: "u", password: WORD } })],
  ],
  [
    "the cluster's provider",
    SECRET,
    [resource("pulumi:providers:kubernetes", { kubeconfig: `users:\n- user:\n    token: ${JWT}\n` })],
  ],
  ["a cloud's provider", SECRET, [resource("pulumi:providers:aws", { secretKey: WORD })]],
  ["another cloud's provider", SECRET, [resource("pulumi:providers:oci", { privateKeyPassword: WORD })]],
  [
    "a command by SSH",
    SECRET,
    [resource("command:remote:Command", { connection: { password: WORD, hostKey: "ssh-ed25519 AAAA" } })],
  ],
  ["variables of a command", SECRET, [resource("command:local:Command", { environment: { API_TOKEN: WORD } })]],
  [
    "what nodes of OKE start with",
    SECRET,
    [
      resource("oci:ContainerEngine/nodePool:NodePool", {
        nodeMetadata: { user_data: base64(`#!/bin/sh\nexport K3S_TOKEN=K10${WORD}::server:1\n`) },
      }),
    ],
  ],
  [
    "what machines of AWS start with",
    SECRET,
    [
      resource("aws:ec2/launchTemplate:LaunchTemplate", {
        userData: base64(`#!/bin/sh\nexport AWS_SECRET_ACCESS_KEY=${WORD}\n`),
      }),
    ],
  ],
  [
    "settings of an add-on",
    SECRET,
    [resource("aws:eks/addon:Addon", { configurationValues: `{"adminPassword":"${WORD}"}` })],
  ],
  ["a password that can be tried", SECRET, [resource("random:index/randomPassword:RandomPassword", { length: 6 })]],
  [
    "cards that pods share as if they were whole",
    "gpu-exclusive",
    [
      object(
        "core/v1",
        "ConfigMap",
        { data: { any: "sharing:\n  timeSlicing:\n    resources:\n    - name: nvidia.com/gpu\n" } },
        { namespace: "a" },
      ),
    ],
  ],
  [
    "the same by an add-on",
    "gpu-exclusive",
    [
      resource("oci:ContainerEngine/addon:Addon", {
        configurations: [{ key: "a", value: "timeSlicing:\n  resources:\n  - replicas: 2\n" }],
      }),
    ],
  ],
  ["a machine without a key", "known-servers", [resource("command:remote:Command", { connection: { host: "a" } })]],
  [
    "any cluster",
    "known-servers",
    [resource("pulumi:providers:kubernetes", { kubeconfig: "insecure-skip-tls-verify: true" })],
  ],
];
