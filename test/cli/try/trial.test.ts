import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readTryArguments } from "../../../cli/try/arguments";
import { Trial } from "../../../cli/try/trial";
import { repositoryRoot } from "../../../names/repository-root";
import { shippedText } from "../../../names/shipped-file";
import { LocalTools } from "../../harness/local-tools/local-tools";
import { closeServers, serve } from "../smoke-servers";

afterAll(closeServers);

const AUTHORITY = shippedText("test/fixtures/certificates/example-ca.pem");
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Pulumi by its command line: it notes what it is told, and has a stack once one was made. */
const PULUMI = `#!/bin/sh
echo "pulumi $* passphrase-file=\${PULUMI_CONFIG_PASSPHRASE_FILE:-none}" >>"$LOCAL_TOOLS/log"
case "$*" in
  version) echo v3.259.0 ;;
  *"stack --stack try --show-name") [ -e "$LOCAL_TOOLS/stack" ] ;;
  *"stack init try --no-select") : >"$LOCAL_TOOLS/stack" ;;
  *" up "*) echo "Updating (try)"; [ ! -e "$LOCAL_TOOLS/up-fails" ] || { echo "error: no room" >&2; exit 255; } ;;
  *" stack output "*) cat "$LOCAL_TOOLS/outputs" ;;
  *" destroy "*) [ ! -e "$LOCAL_TOOLS/destroy-fails" ] && rm "$LOCAL_TOOLS/stack" ;;
esac
`;
/** kubectl: Secrets, and a port-forward to what listens. */
const KUBECTL = `#!/bin/sh
echo "kubectl $*" >>"$LOCAL_TOOLS/kubectl-log"
grep -q "secret-kubeconfig" "$KUBECONFIG" || [ "$1" = version ] || exit 3
case "$*" in
  version*) echo "Client Version: v1.36.1" ;;
  *"get secret consumer-default "*) echo '{"data": {"default": "${base64("the-key")}"}}' ;;
  *"get secret gateway-tls "*) echo '{"data": {"ca.crt": "${base64(AUTHORITY)}"}}' ;;
  *port-forward*)
    [ ! -e "$LOCAL_TOOLS/port" ] && { echo "error: no pods" >&2; exit 1; }
    echo "Forwarding from 127.0.0.1:$(cat "$LOCAL_TOOLS/port") -> 10443"
    exec sleep 60
    ;;
esac
`;
const OUTPUTS = {
  kubeconfig: "secret-kubeconfig",
  consumerSecrets: { default: "consumer-default" },
  models: { assistant: { baseUrl: "http://inference.example.internal/assistant/v1", modelId: "qwen2.5:0.5b" } },
};

let tools: LocalTools;
beforeEach(() => {
  tools = new LocalTools(["docker", "k3d"]);
  tools.write("docker-info", `8 ${16 * 2 ** 30} x86_64\n`);
  tools.write("outputs", JSON.stringify(OUTPUTS));
  tools.program("pulumi", PULUMI);
  tools.program("kubectl", KUBECTL);
  for (const file of ["Pulumi.yaml", "Pulumi.dev.yaml"]) {
    copyFileSync(join(repositoryRoot(), file), join(tools.folder, file));
  }
});
afterEach(() => tools.remove());

const inTrial = (file: string) => join(tools.folder, file);

async function run(...argv: string[]) {
  const args = readTryArguments(argv);
  if (args === "help" || "problem" in args) {
    throw new Error("the arguments are not right");
  }
  const said: string[] = [];
  const tell = (text: string) => void said.push(text);
  const io = { out: tell, err: tell, color: false };
  const trial = new Trial(tools.folder, { ...tools.env, HOME: tools.folder }, io);
  const status = await (args.remove ? trial.remove() : trial.run(args));
  return { status, said: said.join("") };
}

/** What Pulumi was told that changes something. */
const pulumiCalls = () =>
  tools
    .calls()
    .filter((line) => line.startsWith("pulumi ") && !/--show-name|stack output/.test(line))
    .map((line) => line.replace("--non-interactive --color=never ", ""));

async function model(): Promise<readonly { readonly path: string; readonly authorization?: string }[]> {
  const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
  const server = await serve({
    "POST /assistant/v1/chat/completions": () => ({
      body: chunk("Hel"),
      pieces: [
        chunk("lo"),
        chunk(" there"),
        'data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"completion_tokens":3}}\n\n',
        "data: [DONE]\n\n",
      ],
    }),
  });
  tools.write("port", new URL(server.url).port);
  return server.requests;
}

describe("npm run try", () => {
  it("goes from nothing to an answer of the model, and says what to do next", async () => {
    const requests = await model();
    const { status, said } = await run("--question", "Who are you?");
    expect(status).toBe(0);
    const passphrase = `passphrase-file=${inTrial(".try/passphrase")}`;
    expect(pulumiCalls()).toEqual([
      `pulumi login --local ${passphrase}`,
      `pulumi stack init try --no-select ${passphrase}`,
      `pulumi up --yes --skip-preview --stack try ${passphrase}`,
    ]);
    expect(requests).toMatchObject([
      {
        path: "/assistant/v1/chat/completions",
        authorization: "Bearer the-key",
        body: { model: "qwen2.5:0.5b", messages: [{ role: "user", content: "Who are you?" }] },
      },
    ]);
    expect(said).toContain("Who are you?\n\nHello there\n\n✓ assistant answered through the gateway: 3 tokens, ");
    expect(said).toContain("npm run try -- --remove");
    expect(said).not.toContain("secret-kubeconfig");
    expect(readFileSync(inTrial(".try/kubeconfig"), "utf8")).toBe("secret-kubeconfig");
    expect(statSync(inTrial(".try/kubeconfig")).mode & 0o077).toBe(0);
    expect(readFileSync(inTrial("Pulumi.try.yaml"), "utf8")).toContain("memoryGiB: 16");
  });

  it("keeps what it finds the second time: the file, the stack, the user's login and passphrase", async () => {
    await model();
    await run();
    writeFileSync(inTrial("Pulumi.try.yaml"), readFileSync(inTrial("Pulumi.try.yaml"), "utf8").replace("16", "15.5"));
    tools.calls();
    mkdirSync(inTrial(".pulumi"));
    writeFileSync(inTrial(".pulumi/credentials.json"), '{"current": "file://~"}');
    const { status, said } = await run();
    expect([status, said]).toEqual([0, expect.stringContaining("Pulumi.try.yaml is there, and stays as it is.")]);
    expect(readFileSync(inTrial("Pulumi.try.yaml"), "utf8")).toContain("memoryGiB: 15.5");
    expect(pulumiCalls()).toEqual([expect.stringMatching(/^pulumi up --yes --skip-preview --stack try /)]);
  });

  it("makes nothing while something is missing, and says all of it", async () => {
    tools.forget("bin/k3d");
    tools.write("docker-stopped");
    const { status, said } = await run();
    expect(status).toBe(1);
    expect(said).toContain("✗ docker or podman  docker there, but not answering");
    expect(said).toContain("✗ k3d or kind       neither is on the PATH");
    expect(said).toContain("Nothing was created. Fix what is marked ✗, then: npm run try");
    expect([pulumiCalls(), existsSync(inTrial("Pulumi.try.yaml"))]).toEqual([[], false]);
  });

  it("refuses a computer that is too small by the plan, in GiB, before Pulumi is asked for anything", async () => {
    tools.write("docker-info", `4 ${8 * 2 ** 30} x86_64\n`);
    const { status, said } = await run();
    expect(status).toBe(1);
    expect(said).toMatch(/GiB missing by the estimate/);
    expect(said).toContain("Nothing was made. docker gives containers 4 CPUs and 8 GiB: give them more");
    expect([pulumiCalls(), existsSync(inTrial("Pulumi.try.yaml"))]).toEqual([[], false]);
  });

  it("says how to go on where Pulumi fails, in Pulumi's own words", async () => {
    tools.write("up-fails");
    const { status, said } = await run();
    expect(status).toBe(1);
    expect(said).toMatch(/Updating \(try\)\nerror: no room\n\nIt is not up\./);
    expect(said).toContain("npm run try goes on where it ended");
  });

  it("says that the platform is up where only the answer is missing", async () => {
    const { status, said } = await run();
    expect(status).toBe(1);
    expect(said).toMatch(/✗ the platform is up, but its model did not answer: no way to the gateway: .*error: no pods/);
    expect(said).toContain("npm run status -- try --kubeconfig .try/kubeconfig");
  });

  it("brings a chat page up once the gateway's authority exists, and says how to open it", async () => {
    await model();
    const openWebUi = {
      address: "https://chat.example.internal",
      adminEmail: "admin@example.internal",
      adminPassword: "kubectl get the-password",
      forward: { command: "kubectl port-forward", address: "https://chat.example.internal:8443" },
    };
    tools.write("outputs", JSON.stringify({ ...OUTPUTS, openWebUi }));
    const { status, said } = await run("--chat");
    expect(status).toBe(0);
    expect(pulumiCalls().filter((line) => line.includes(" up "))).toHaveLength(2);
    expect(parse(readFileSync(inTrial("Pulumi.try.yaml"), "utf8"))).toMatchObject({
      config: {
        "inference-stacks:gateway": { consumers: { default: {}, "open-webui": { models: ["assistant"] } } },
        "inference-stacks:openWebUi": { gatewayAuthorities: AUTHORITY.trim() },
      },
    });
    for (const line of ["https://chat.example.internal:8443", "kubectl get the-password", "127.0.0.1 chat.example"]) {
      expect(said).toContain(line);
    }
    tools.calls();
    expect((await run("--chat")).status).toBe(0);
    expect(pulumiCalls().filter((line) => line.includes(" up "))).toHaveLength(1);
  });

  it("removes all of it, and has nothing to remove then", async () => {
    await model();
    await run();
    tools.calls();
    expect((await run("--remove")).status).toBe(0);
    expect(pulumiCalls()).toEqual([expect.stringMatching(/^pulumi destroy --yes --remove --stack try /)]);
    expect(["Pulumi.try.yaml", ".try"].map((file) => existsSync(inTrial(file)))).toEqual([false, false]);
    expect(await run("--remove")).toMatchObject({ status: 0, said: expect.stringContaining("nothing to remove") });
    expect(existsSync(inTrial(".try"))).toBe(false);
  });

  it("keeps the passphrase while the state is there", async () => {
    await model();
    await run();
    tools.write("destroy-fails");
    expect((await run("--remove")).status).toBe(1);
    expect(existsSync(inTrial(".try/passphrase"))).toBe(true);
  });
});

describe("its arguments", () => {
  it("are a tool that is known", () => {
    expect(readTryArguments(["--tool", "kind"])).toMatchObject({ tool: "kind", remove: false });
    expect(readTryArguments(["--tool", "minikube"])).toEqual({ problem: '--tool must be k3d or kind, is "minikube"' });
    expect(readTryArguments(["--help"])).toBe("help");
    expect(readTryArguments(["dev"])).toEqual({ problem: expect.stringContaining("dev") });
  });
});
