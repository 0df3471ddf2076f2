/**
 * `npm run try` on Pulumi's real engine and a real API server. What stands in: k3d and Docker (test/harness/local-tools), which
 * hand out that API server, the provider of commands, and the gateway's pods.
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { readTryArguments } from "../../../cli/try/arguments";
import { Trial } from "../../../cli/try/trial";
import { requirePart } from "../../../rehearsal/parts/find";
import { readEnvironment } from "../../e2e/engine/environment-file";
import { copyProject, languageHostFolder } from "../../e2e/engine/project";
import { startProvider } from "../../e2e/engine/provider-process";
import { filesBelow, leaks } from "../../e2e/engine/secret-search";
import { Surroundings } from "../../e2e/engine/surroundings";
import { GatewayStandIn } from "../../e2e/local/gateway-stand-in";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { LocalTools } from "../../harness/local-tools/local-tools";

const HOSTNAME = "inference.example.internal";
const API = { apiVersion: "v1", kind: "Secret" } as const;

class Computer {
  private constructor(
    readonly surroundings: Surroundings,
    readonly tools: LocalTools,
    readonly gateway: GatewayStandIn,
    readonly project: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  static async start(): Promise<Computer> {
    const file = readEnvironment("dev", {
      "inference-stacks:modelControl": { value: '{"enabled": false}' },
      "inference-stacks:cluster": { value: '{"kind": "local", "provision": "create", "local": {"tool": "k3d"}}' },
    });
    const surroundings = await Surroundings.start("dev", file);
    const { plane } = surroundings;
    try {
      const tools = new LocalTools(["docker", "k3d"], plane.folder);
      tools.write("docker-info", `8 ${16 * 2 ** 30} x86_64\n`);
      tools.write("kubeconfig", readFileSync(plane.kubeconfig, "utf8"));
      const gateway = await GatewayStandIn.start(tools.folder, HOSTNAME, ["I am ", "a ", "small ", "model."]);
      // Pods do not run here: the port-forward ends at what answers for them. All else is the real kubectl's.
      tools.program(
        "kubectl",
        `#!/bin/sh\ncase "$*" in *port-forward*) echo "Forwarding from 127.0.0.1:${gateway.port} -> 10443"; exec sleep 60 ;; esac\nexec "${requirePart("kubectl")}" "$@"\n`,
      );
      const home = join(plane.folder, "home");
      mkdirSync(home);
      const command = await startProvider(plane, "local-command", { ...tools.env, HOME: home });
      const { PULUMI_CONFIG_PASSPHRASE: _, KUBECONFIG: __, ...engine } = surroundings.env;
      const env = {
        ...engine,
        ...tools.env,
        PATH: [tools.bin, engine.PATH, languageHostFolder(plane.folder)].join(delimiter),
        PULUMI_DEBUG_PROVIDERS: `${engine.PULUMI_DEBUG_PROVIDERS},command:${command}`,
        HOME: home,
      };
      return new Computer(surroundings, tools, gateway, copyProject(plane.folder), env);
    } catch (error) {
      await surroundings.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.gateway.stop();
    await this.surroundings.stop();
  }

  /** `npm run try -- …argv` as one whose standard streams are pipes. */
  async run(...argv: string[]): Promise<{ readonly status: number; readonly said: string }> {
    const args = readTryArguments(argv);
    if (args === "help" || "problem" in args) {
      throw new Error("the arguments are not right");
    }
    const said: string[] = [];
    const tell = (text: string) => void said.push(text);
    const trial = new Trial(this.project, this.env, { out: tell, err: tell, color: false });
    const status = await (args.remove ? trial.remove() : trial.run(args));
    return { status, said: said.join("") };
  }

  /** What is in the project's folder of the trial. */
  has(file: string): boolean {
    return existsSync(join(this.project, file));
  }
}

const bed = sharedBySuite(() => Computer.start());
const minutes = { timeout: 600_000 };

/** What k3d and the container engine were told that changes something. */
const changes = () => bed().tools.calls();

it("tells in the tool's own words why a cluster was not made, and keeps none of it for made", minutes, async () => {
  const { tools } = bed();
  tools.write("create-fails", "ERRO failed to pull image: no space left on device\n");
  const { status, said } = await bed().run();
  expect(status).toBe(1);
  expect(said).toContain('exit status 1: running "sh -s create # k3d: inference-try":');
  expect(said).toContain("ERRO failed to pull image: no space left on device");
  expect(said).toContain("npm run try goes on where it ended");
  expect(tools.clusters("k3d")).toEqual(["inference-try"]);
  tools.forget("create-fails");
});

it("then brings the platform up on its own cluster, and prints what the model answers", minutes, async () => {
  const { surroundings, tools, gateway } = bed();
  const { client } = surroundings.plane;
  // cert-manager's to write, which no pod is here.
  const certificate = {
    ...API,
    metadata: { name: "gateway-tls", namespace: "inference-gateway" },
    data: { "ca.crt": Buffer.from(gateway.ca).toString("base64") },
  };
  tools.calls();
  const first = await bed().run();
  // Only now is its namespace there.
  expect(first.status).toBe(1);
  expect(first.said).toContain("the platform is up, but its model did not answer: the Secret gateway-tls");
  expect(changes()).toEqual([
    "k3d cluster delete inference-try",
    "docker volume rm inference-stacks-k3d-inference-try",
    expect.stringMatching(
      /^docker volume create --label inference-stacks\.io\/owner=[0-9a-f]{16} inference-stacks-k3d-inference-try$/,
    ),
    expect.stringMatching(/^k3d cluster create inference-try --image docker\.io\/rancher\/k3s:v1\.36\.4-k3s1 /),
    expect.stringMatching(/^docker volume create .* inference-stacks-k3d-inference-try-whole$/),
    "k3d kubeconfig get inference-try",
  ]);
  await client.create(certificate);
  const { status, said } = await bed().run("--question", "What are you?");
  expect([status, said]).toEqual([
    0,
    expect.stringContaining("What are you?\n\nI am a small model.\n\n✓ assistant answered"),
  ]);
  expect(gateway.asked).toEqual([
    {
      host: HOSTNAME,
      path: "/assistant/v1/chat/completions",
      authorization: expect.stringMatching(/^Bearer \S{20,}$/),
    },
  ]);
  // The second run found all of it as it was.
  expect(changes()).toEqual([]);
  expect(said).toMatch(/Resources:\n\s+\d+ unchanged/);
});

it("keeps the kubeconfig out of the state in clear, and out of all that it said", minutes, async () => {
  const { surroundings, project } = bed();
  const kubeconfig = readFileSync(surroundings.plane.kubeconfig, "utf8");
  const token = JSON.stringify(parse(kubeconfig).users[0].user.token).slice(1, -1);
  expect(token.length).toBeGreaterThan(8);
  expect(leaks(filesBelow(surroundings.backend), [token])).toEqual([]);
  expect(leaks(filesBelow(project, { deep: false }), [token])).toEqual([]);
  expect(readFileSync(join(project, ".try", "kubeconfig"), "utf8").trim()).toContain(token);
});

it("removes the cluster without deleting what is in it one by one, and leaves nothing behind", minutes, async () => {
  const { surroundings, tools } = bed();
  const { status, said } = await bed().run("--remove");
  expect([status, said]).toEqual([0, expect.stringContaining("Removed: the cluster with all that was in it")]);
  expect(changes()).toEqual([
    "k3d cluster delete inference-try",
    "docker volume rm inference-stacks-k3d-inference-try-whole",
    "docker volume rm inference-stacks-k3d-inference-try",
  ]);
  expect([tools.clusters("k3d"), tools.volumes()]).toEqual([[], {}]);
  expect(["Pulumi.try.yaml", ".try"].map((file) => bed().has(file))).toEqual([false, false]);
  // The API server outlives the stand-in's cluster: nobody deleted anything there.
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "model-assistant" } };
  expect(await surroundings.plane.client.get(namespace)).toBeDefined();
});
