import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { K3sCluster } from "../../../../components/cluster/k3s/cluster";
import { hostCheckValues } from "../../../../components/cluster/k3s/host-checks";
import { type HostScript, hostScriptText } from "../../../../components/cluster/k3s/host-script";
import type { Host } from "../../../../components/cluster/k3s/settings";
import { defaultAnswers } from "../../../../offline/answers";
import { type Deployment, deploy, resolved } from "../../../harness/deploy";
import { settings } from "./fixture";

const COMMAND = "command:remote:Command";
const PRIVATE_KEY = "private key of ops";
const PASSPHRASE = "passphrase of the key";
const PASSWORD = "password of ops";
const REGISTRY = "credentials of the mirror";
const SETTINGS = settings({ labels: { "inference-stacks/pool": "workstation" } });

interface Options {
  readonly host?: Partial<Host>;
  /** What the installation prints. */
  readonly installed?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

async function make({ host = {}, installed = "{}", labels = SETTINGS.labels }: Options = {}) {
  let cluster: K3sCluster | undefined;
  const secretOutputs: Record<string, unknown> = {};
  const deployment: Deployment = await deploy(
    () => {
      cluster = new K3sCluster(
        "cluster",
        {
          settings: {
            ...SETTINGS,
            labels,
            host: {
              ...SETTINGS.host,
              privateKey: pulumi.secret(PRIVATE_KEY),
              privateKeyPassphrase: pulumi.secret(PASSPHRASE),
              password: pulumi.secret(PASSWORD),
              ...host,
            },
            images: {
              mirror: "registry.example.com/mirror",
              credentials: pulumi.secret(JSON.stringify({ auths: { "registry.example.com": { auth: REGISTRY } } })),
            },
          },
          pools: [],
          storageClass: "local-path",
          gpuExporters: "platform",
          privateCidrs: [],
          apiServerCidrs: [],
        },
        {
          transformations: [
            ({ type, name, opts }) => {
              if (type === COMMAND) {
                secretOutputs[name] = (opts as pulumi.CustomResourceOptions).additionalSecretOutputs;
              }
              return undefined;
            },
          ],
        },
      );
    },
    {
      answers: {
        ...defaultAnswers,
        state: (type, name, inputs) =>
          name === "cluster-k3s"
            ? { ...inputs, stdout: installed, stderr: "" }
            : defaultAnswers.state(type, name, inputs),
      },
    },
  );
  const commands = Object.fromEntries(deployment.ofType(COMMAND).map((command) => [command.name, command]));
  const command = (name: string) => deployment.resource(COMMAND, name);
  return { deployment, cluster: cluster as unknown as K3sCluster, commands, command, secretOutputs };
}

/** What a command's script is told: values by name, and files by path. */
function told(stdin: unknown): Record<string, string> {
  const plain = (text = "") => Buffer.from(text, "base64").toString("utf8");
  const lines = String(stdin).split("\n");
  const from = lines.lastIndexOf("run \"$@\" <<'end-of-input'");
  return Object.fromEntries(
    lines.slice(from + 1).flatMap((line) => {
      const [kind, first = "", second, third] = line.split(" ");
      return kind === "value"
        ? [[first, plain(second)]]
        : kind === "file"
          ? [[`${first} ${second}`, plain(third)]]
          : [];
    }),
  );
}

const SCRIPTS: readonly (readonly [string, HostScript])[] = [
  ["cluster-host-checks", "host-checks"],
  ["cluster-k3s", "k3s"],
  ["cluster-kubeconfig", "kubeconfig"],
];

describe("the commands of a machine", () => {
  it("are three, with nothing of what they are told in what a list of processes shows", async () => {
    const { commands } = await make();
    const start = `sh -c 'read -r start && eval "$(echo "$start" | base64 -d)"'`;
    const withoutInput = Object.entries(commands).map(([name, { inputs }]) => {
      const { stdin: _stdin, connection: _connection, ...rest } = inputs;
      return [name, rest];
    });
    const always = { logging: "stderr", addPreviousOutputInEnv: false };
    expect(Object.fromEntries(withoutInput)).toEqual({
      "cluster-host-checks": { create: `${start} host-checks check`, ...always },
      "cluster-k3s": { create: `${start} k3s install`, delete: `${start} k3s uninstall`, ...always },
      "cluster-kubeconfig": { create: `${start} kubeconfig read`, ...always },
    });
  });

  it("are a plain shell for root without a password", async () => {
    const { command } = await make({ host: { user: "root", password: undefined } });
    const { create, delete: undo, stdin } = command("cluster-k3s").inputs;
    expect([create, undo]).toEqual(["sh -s k3s install", "sh -s k3s uninstall"]);
    expect(String(stdin).startsWith(hostScriptText("k3s"))).toBe(true);
  });

  it("check the host's key, log in with what is given, and hold all of it secret", async () => {
    const { commands } = await make();
    for (const { inputs, secretInputs } of Object.values(commands)) {
      expect(inputs.connection).toEqual({
        host: "gpu-box.example.internal",
        user: "ops",
        port: 22,
        hostKey: SETTINGS.host.hostKey,
        dialErrorLimit: 3,
        // The provider's default, seconds.
        perDialTimeout: 15,
        privateKey: PRIVATE_KEY,
        privateKeyPassword: PASSPHRASE,
        password: PASSWORD,
      });
      expect(secretInputs).toEqual(expect.arrayContaining(["connection", "stdin"]));
    }
  });

  it("name no key where the agent's are tried", async () => {
    const { command } = await make({
      host: { privateKey: undefined, privateKeyPassphrase: undefined, password: undefined },
    });
    const { connection } = command("cluster-k3s").inputs;
    expect(Object.keys(connection as object).sort()).toEqual([
      "dialErrorLimit",
      "host",
      "hostKey",
      "perDialTimeout",
      "port",
      "user",
    ]);
  });

  it.each(SCRIPTS)("send the script and the password over standard input: %s", async (name, script) => {
    const { command } = await make();
    const lines = String(command(name).inputs.stdin).split("\n");
    expect(lines[1]).toBe(PASSWORD);
    const text = lines.slice(2).join("\n");
    expect(text.startsWith(`${hostScriptText(script)}\nrun "$@" <<'end-of-input'\n`)).toBe(true);
    expect(text.endsWith("\nend\nend-of-input\n")).toBe(true);
  });

  it("tell the checks what the plan counts on, and nothing secret", async () => {
    const { command } = await make();
    const { stdin } = command("cluster-host-checks").inputs;
    expect(told(stdin)).toEqual(hostCheckValues(SETTINGS));
  });

  it("tell the installation the labels, and its files with the registry's credentials", async () => {
    const { command } = await make({ labels: { "inference-stacks/pool": "workstation", tier: "edge" } });
    const input = told(command("cluster-k3s").inputs.stdin);
    expect(input).toMatchObject({
      ENVIRONMENT: "edge-test",
      NODE: "workstation",
      LABELS: "inference-stacks/pool=workstation tier=edge",
      BUNDLE: "",
    });
    expect(input["0600 /etc/rancher/k3s/registries.yaml"]).toContain(REGISTRY);
    expect(Object.keys(input)).toContain("0600 /etc/rancher/k3s/config.yaml");
  });

  it("have no secret anywhere but in inputs that are secret", async () => {
    const { deployment } = await make();
    const encoded = [PRIVATE_KEY, PASSPHRASE, PASSWORD, REGISTRY].flatMap((secret) => [
      secret,
      Buffer.from(secret).toString("base64").replace(/=+$/, ""),
    ]);
    for (const { name, inputs, secretInputs } of deployment.recording.resources) {
      const clear = Object.fromEntries(Object.entries(inputs).filter(([key]) => !secretInputs.includes(key)));
      const text = JSON.stringify(clear);
      expect(
        encoded.filter((secret) => text.includes(secret)),
        name,
      ).toEqual([]);
    }
  });

  it("never have triggers: they would install anew, and then remove both", async () => {
    const { commands } = await make();
    const triggered = Object.values(commands).map(({ inputs, options }) => [
      "triggers" in inputs,
      options.deleteBeforeReplace,
      options.replaceOnChanges ?? [],
    ]);
    // The provider itself replaces by triggers: nothing, while there are none.
    expect(triggered).toEqual(SCRIPTS.map(() => [false, false, ["triggers[*]"]]));
  });

  it("keep the kubeconfig that is printed secret", async () => {
    const { secretOutputs } = await make();
    // The provider adds the connection of each.
    expect(secretOutputs).toEqual({
      "cluster-host-checks": ["connection"],
      "cluster-k3s": ["connection"],
      "cluster-kubeconfig": ["stdout", "connection"],
    });
  });
});

describe("the order on a machine", () => {
  it("is checks, installation, kubeconfig", async () => {
    const { command } = await make();
    const [checks, k3s, kubeconfig] = SCRIPTS.map(([name]) => command(name));
    expect(checks?.dependsOn).toEqual([]);
    expect(k3s?.dependsOn).toEqual([checks?.urn]);
    expect(kubeconfig?.dependsOn).toEqual([k3s?.urn]);
  });

  it("lets all that is made on the cluster wait for the installation", async () => {
    const { cluster, command } = await make();
    const urns = await Promise.all(cluster.ready.map(({ urn }) => resolved(urn)));
    expect(urns).toEqual([command("cluster-k3s").urn]);
  });
});

describe("the kubeconfig of a machine", () => {
  const read = async (options: Options) => (await make(options)).command("cluster-kubeconfig").inputs.stdin;

  it("is read again when the installation says another thing of itself, and only then", async () => {
    const authority = (name: string) => JSON.stringify({ version: "v1", authority: name, kubeconfig: "k" });
    const first = await read({ installed: authority("one") });
    expect(await read({ installed: authority("one"), labels: { tier: "edge" } })).toBe(first);
    const other = await read({ installed: authority("two") });
    expect(other).not.toBe(first);
    expect([told(first), told(other)]).toEqual([{ INSTALLED: authority("one") }, { INSTALLED: authority("two") }]);
  });

  it("names the machine as it is seen from here, and is secret; who the cluster is, is not", async () => {
    const { cluster } = await make();
    expect(await resolved(cluster.kubeconfig)).toContain("https://gpu-box.example.internal:6443");
    expect(await pulumi.isSecret(cluster.kubeconfig)).toBe(true);
    expect(await pulumi.isSecret(cluster.clusterIdentifier)).toBe(false);
    expect(await resolved(cluster.clusterIdentifier)).toBe("00000000-0000-4000-8000-000000000000");
  });
});
