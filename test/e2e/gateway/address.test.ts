/** One address for all models, as users meet it: the commands that the stack prints, the list of models, plain HTTP. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { requirePart } from "../../../rehearsal/parts/find";
import { type EnvironmentName, type ProgramRun, programRun } from "../../stacks/run";
import { sharedBySuite } from "../shared-by-suite";
import { RecordingBackend } from "./recording-backend";

interface Usage {
  readonly modelId: string;
  readonly curl: string;
}

/** An environment's gateway with every model behind it. */
interface Published {
  readonly stand: GatewayStand;
  readonly run: ProgramRun;
  readonly models: Readonly<Record<string, Usage>>;
  /** Server groups. */
  readonly groups: Readonly<Record<string, Usage>>;
  readonly backends: ReadonlyMap<string, RecordingBackend>;
  stop(): Promise<void>;
}

async function published(name: EnvironmentName): Promise<Published> {
  const run = await programRun(name);
  const stand = await GatewayStand.start(run.resources);
  const { models, groups = {} } = run.recording.outputs as Readonly<Record<string, Record<string, Usage>>>;
  if (models === undefined) {
    throw new Error(`${name} says of no model how it is called`);
  }
  const names = [...Object.keys(models), ...Object.keys(groups)];
  const backends = new Map(names.map((each) => [each, new RecordingBackend(each)]));
  for (const [model, { listener }] of backends) {
    await stand.serve(model, listener);
  }
  return { stand, run, models, groups, backends, stop: () => stand.stop() };
}

/** Runs a command as a user does: a shell, curl, and kubectl with the cluster's kubeconfig. */
async function shell(stand: GatewayStand, command: string, curlrc: readonly string[]): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "inference-stacks-curl-"));
  try {
    writeFileSync(join(home, ".curlrc"), curlrc.join("\n"));
    const path = `${dirname(requirePart("kubectl"))}:${process.env.PATH}`;
    const env = { ...process.env, PATH: path, CURL_HOME: home, HOME: home, KUBECONFIG: stand.kubeconfig };
    const { stdout } = await promisify(execFile)("bash", ["-c", command], { env });
    return stdout;
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** What curl does beside what the command says: it is quiet, and ends with the status. */
const REPORT = ["silent", "show-error", 'write-out = "\\n%{http_code}"'];

function outcome(output: string): { readonly status: string | undefined; readonly body: unknown } {
  const lines = output.trimEnd().split("\n");
  return { status: lines.at(-1), body: JSON.parse(lines.slice(0, -1).join("\n")) };
}

describe("the address of a development cluster", () => {
  const shared = sharedBySuite(() => published("dev"));

  it("answers the command that the stack prints, with the authority and the key that it reads", async () => {
    const { stand, models, backends } = shared();
    const [proxy] = stand.proxies;
    const curl = models.assistant?.curl ?? "";
    // The port-forward needs a kubelet; where it would lead is the proxy itself.
    const [forward = "", ...rest] = curl.split("\n");
    expect(forward).toMatch(/^kubectl -n inference-gateway port-forward service\/inference 8443:443 & sleep \d$/);
    const command = rest.join("\n").replace("127.0.0.1:8443", `${proxy?.address}:${proxy?.httpsPort}`);
    expect(command).toContain("--cacert <(kubectl ");

    const { status, body } = outcome(await shell(stand, command, REPORT));
    expect(status).toBe("200");
    expect(body).toMatchObject({ model: "assistant" });
    const [asked] = backends.get("assistant")?.asked ?? [];
    expect(asked?.url).toBe("/v1/chat/completions");
    expect(JSON.stringify(asked)).not.toContain(await stand.key("default"));
  });

  it("is trusted by nobody without its authority", async () => {
    const { stand, models } = shared();
    const [proxy] = stand.proxies;
    const [, ...rest] = (models.assistant?.curl ?? "").split("\n").filter((line) => !line.includes("--cacert"));
    const command = rest.join("\n").replace("127.0.0.1:8443", `${proxy?.address}:${proxy?.httpsPort}`);
    // curl's exit status for a certificate that no authority of its own has signed.
    await expect(shell(stand, command, REPORT)).rejects.toMatchObject({ code: 60 });
  });

  it("sends plain HTTP to HTTPS, and reads no key there", async () => {
    const { stand, backends } = shared();
    const [proxy] = stand.proxies;
    const before = backends.get("assistant")?.asked.length;
    const headers = { host: stand.hostname, authorization: `Bearer ${await stand.key("default")}` };
    const answer = await new Promise<{ status?: number; location?: string }>((resolve, reject) => {
      const options = { host: proxy?.address, port: proxy?.httpPort, path: "/v1/models?a=b", headers };
      request(options, (response) => {
        response
          .resume()
          .on("end", () => resolve({ status: response.statusCode, location: response.headers.location }));
      })
        .on("error", reject)
        .end();
    });
    expect(answer).toEqual({ status: 301, location: `https://${stand.hostname}/v1/models?a=b` });
    expect(backends.get("assistant")?.asked.length).toBe(before);
  });
});

describe("the address of three models in a cloud", () => {
  const shared = sharedBySuite(() => published("oci-a10"));
  /** In place of the user's DNS record and of an authority that everybody trusts. */
  async function call({ stand }: Published, command: string): Promise<ReturnType<typeof outcome>> {
    const folder = mkdtempSync(join(tmpdir(), "inference-stacks-ca-"));
    try {
      writeFileSync(join(folder, "ca.pem"), stand.ca);
      const [proxy] = stand.proxies;
      const dns = `connect-to = "${stand.hostname}:443:${proxy?.address}:${proxy?.httpsPort}"`;
      return outcome(await shell(stand, command, [...REPORT, dns, `cacert = "${join(folder, "ca.pem")}"`]));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it("leads each model's command to its own backend by the body alone", async () => {
    const { stand, models, backends } = shared();
    expect(Object.keys(models).length).toBeGreaterThan(1);
    for (const [model, { curl, modelId }] of Object.entries(models)) {
      expect(await call(shared(), curl)).toEqual({ status: "200", body: expect.objectContaining({ model }) });
      // What proxies ask by themselves, whether it is well, has no body.
      const asked = [...backends].map(([name, backend]) => [
        name,
        backend.asked.splice(0).filter(({ body }) => body).length,
      ]);
      expect(asked).toEqual([...backends.keys()].map((name) => [name, name === model ? 1 : 0]));
      const { body } = await call(shared(), curl.replace(`"model":"${modelId}"`, '"model":"no-such-model"'));
      expect(JSON.stringify(body)).not.toContain("Hello from");
    }
    expect(stand.proxies[0]?.accessLog().map(({ path }) => path)).toContain("/v1/chat/completions");
  });

  it("leads the command of a server group to its nodes", async () => {
    const { groups, backends } = shared();
    expect(Object.keys(groups)).toEqual(["inference-cluster"]);
    for (const [group, { curl }] of Object.entries(groups)) {
      expect(await call(shared(), curl)).toMatchObject({ status: "200", body: { model: group } });
      expect(
        backends
          .get(group)
          ?.asked.splice(0)
          .map(({ url }) => url),
      ).toContain("/v1/chat/completions");
    }
  });

  it("lists its models to who has a key, and to nobody else", async () => {
    const { stand, models } = shared();
    const list = await stand.request({ path: "/v1/models", consumer: "web-app" });
    expect(list.status).toBe(200);
    const { data } = JSON.parse(list.text) as { readonly data: readonly { readonly id: string }[] };
    expect(data.map(({ id }) => id).sort()).toEqual(
      Object.values(models)
        .map(({ modelId }) => modelId)
        .sort(),
    );
    expect((await stand.request({ path: "/v1/models" })).status).toBe(401);
    expect((await stand.request({ path: "/v1/models", headers: { authorization: "Bearer guess" } })).status).toBe(401);
  });
});
