/** KServe's calls over gRPC beside HTTP at one address, through the real gateway: to a real Triton, and to a stand-in that tells what reached it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, type IncomingHttpHeaders } from "node:http2";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configText } from "../../../engines/triton/model-config";
import { tenantsOf } from "../../../planner/tenants";
import { connectionOptions } from "../../../rehearsal/cluster/gateway/request";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { endpoint } from "../../components/gateway/fixture";
import { sharedBySuite } from "../shared-by-suite";
import { render, tritonPlan, withRepository } from "../triton/rendered";
import { type RealTriton, startTriton } from "../triton/server";
import { inferRequest, numbersOf, streamed } from "./kserve-messages";
import { QuotaCounting } from "./quota-counting";
import { standOf } from "./stand-of";

const SERVICE = "/inference.GRPCInferenceService";
const GRPC_PORT = 8001;
const BODY_LIMIT = 2 ** 20;
const PER_MINUTE = 3;
const ranking = endpoint("ranking", {
  servedName: "vector",
  engine: "triton",
  task: "rerank",
  ports: { "kserve-http": 8000, "kserve-grpc": GRPC_PORT },
});

const stand = sharedBySuite(() =>
  standOf(
    {
      endpoints: [ranking, { ...ranking, model: "other", namespace: "model-other", service: "other-server" }],
      limits: { maxRequestBytes: BODY_LIMIT, parallelRequests: 307, proxyMemoryGiB: 2 },
      tenants: tenantsOf({
        default: {},
        "team-a": {},
        reader: { models: ["other"] },
        batch: { requestsPerMinute: PER_MINUTE },
      }),
    },
    { proxies: 0 },
    { countsQuotas: true },
  ),
);

/** Calls that reached the stand-in. */
const reached: IncomingHttpHeaders[] = [];
const servers: { close(): void }[] = [];
let folder: string;
let triton: RealTriton;
let client: Client;

/** Takes connections at an address of the stand for a server on loopback. */
async function forward(address: string, port: number, to: number): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const behind = connect(to, "127.0.0.1");
    for (const end of [socket, behind]) {
      sockets.add(end);
      end.on("error", () => end.destroy());
    }
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  servers.push({
    close: () => {
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
    },
  });
}

/** A gRPC server that gives everybody an empty answer. */
async function emptyAnswers(): Promise<number> {
  const server = createHttp2Server();
  server.on("stream", (stream, headers) => {
    reached.push(headers);
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.resume().on("end", () => stream.end(Buffer.alloc(5)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

async function startRealTriton(): Promise<RealTriton> {
  const code = readFileSync(join(__dirname, "../triton/models/vector.py"), "utf8");
  mkdirSync(join(folder, "vector/1"), { recursive: true });
  writeFileSync(join(folder, "vector/1/model.py"), code);
  const config = {
    name: "vector",
    backend: "python",
    max_batch_size: 0,
    input: [{ name: "text", data_type: "TYPE_STRING", dims: [1] }],
    output: [{ name: "vector", data_type: "TYPE_FP32", dims: [2] }],
    instance_group: [{ kind: "KIND_CPU", count: 1 }],
  };
  writeFileSync(join(folder, "vector/config.pbtxt"), configText(config));
  const { args } = await render(tritonPlan({ servedName: "vector", engineSettings: { isRepository: true } }));
  return startTriton(withRepository(args, folder));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "inference-stacks-grpc-"));
  triton = await startRealTriton();
  const overHttp = (asked: IncomingMessage, answer: ServerResponse) => {
    const { url = "/", method, headers } = asked;
    const behind = request(triton.url + url, { method, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 500, from.headers);
      from.pipe(answer);
    });
    behind.on("error", () => answer.destroy());
    asked.pipe(behind);
  };
  const served = await stand().serve("ranking", overHttp);
  await forward(served.address, GRPC_PORT, triton.grpcPort);
  const other = await stand().serve("other", (asked, answer) => asked.resume().on("end", () => answer.end("{}")));
  await forward(other.address, GRPC_PORT, await emptyAnswers());
  await QuotaCounting.start(stand());
  const proxy = await stand().startProxy();
  const { host, port, servername, ca } = connectionOptions(proxy, stand());
  client = new Client(`${host}:${port}`, credentials.createSsl(Buffer.from(ca)), {
    "grpc.ssl_target_name_override": servername,
    "grpc.default_authority": servername,
  });
});

afterAll(async () => {
  client?.close();
  for (const server of servers) {
    server.close();
  }
  await triton?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function metadataOf(entries: Readonly<Record<string, string>>): Promise<Metadata> {
  const metadata = new Metadata();
  const withKey = { authorization: `Bearer ${await stand().key("default")}`, "x-model": "ranking", ...entries };
  for (const [name, value] of Object.entries(withKey).filter(([, text]) => text !== "")) {
    metadata.set(name, value);
  }
  return metadata;
}

const asItIs = (bytes: Buffer) => bytes;

/** The answer, or the name of the status. @param entries metadata besides a good key and the model; empty ones are left out. */
async function call(
  name: string,
  message: Buffer,
  entries: Readonly<Record<string, string>> = {},
): Promise<Buffer | string> {
  const metadata = await metadataOf(entries);
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      `${SERVICE}/${name}`,
      asItIs,
      asItIs,
      message,
      metadata,
      (error: ServiceError | null, answer) => resolve(error ? (status[error.code] ?? "") : (answer ?? Buffer.alloc(0))),
    );
  });
}

const infer = inferRequest({ model: "vector", input: "text", text: "hello" });
const vectorOf = (answer: Buffer | string) => (typeof answer === "string" ? answer : numbersOf(answer));

it("infers over gRPC and over HTTP, at one address", async () => {
  expect(vectorOf(await call("ModelInfer", infer))).toEqual([5, 1]);
  const { status: httpStatus, text } = await stand().request({
    path: "/ranking/v2/models/vector/infer",
    json: { inputs: [{ name: "text", shape: [1], datatype: "BYTES", data: ["hello"] }] },
    consumer: "default",
  });
  expect([httpStatus, JSON.parse(text)]).toMatchObject([200, { outputs: [{ data: [5, 1] }] }]);
});

it.each(["ServerLive", "ServerReady"])("answers %s", async (name) => {
  expect(await call(name, Buffer.alloc(0))).toEqual(Buffer.from([8, 1]));
});

it("passes a stream on as it comes: each request after the answer to the last", async () => {
  const stream = client.makeBidiStreamRequest(`${SERVICE}/ModelStreamInfer`, asItIs, asItIs, await metadataOf({}));
  const answers = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (const text of ["a", "bcd"]) {
    stream.write(inferRequest({ model: "vector", input: "text", text }));
    const { value } = await answers.next();
    expect(numbersOf(streamed(value as Buffer))).toEqual([text.length, 1]);
  }
  stream.end();
  expect((await answers.next()).done).toBe(true);
});

describe("what a call must carry", () => {
  it.each([
    ["no key", { authorization: "" }],
    ["a wrong key", { authorization: "Bearer nonsense" }],
  ])("%s is unauthenticated", async (_, entries) => {
    expect(await call("ModelInfer", infer, entries)).toBe("UNAUTHENTICATED");
  });

  it("takes the key from x-api-key too", async () => {
    const entries = { authorization: "", "x-api-key": await stand().key("team-a") };
    expect(vectorOf(await call("ModelInfer", infer, entries))).toEqual([5, 1]);
  });

  it.each([
    ["no model", { "x-model": "" }],
    ["a model that is not there", { "x-model": "vector" }],
  ])("%s leads nowhere", async (_, entries) => {
    expect(await call("ModelInfer", infer, entries)).toBe("UNIMPLEMENTED");
  });

  it("leads to the model that its metadata names, without the key", async () => {
    const before = reached.length;
    expect(await call("ModelInfer", infer, { "x-model": "other" })).toEqual(Buffer.alloc(0));
    const [headers = {}, ...others] = reached
      .slice(before)
      .filter(({ ":path": path }) => path === `${SERVICE}/ModelInfer`);
    expect(others).toEqual([]);
    expect([headers["x-consumer-id"], headers.authorization]).toEqual(["default", undefined]);
  });
});

/** Status of a stream that sends one request and ends. */
async function streamStatus(entries: Readonly<Record<string, string>>): Promise<string> {
  const stream = client.makeBidiStreamRequest(`${SERVICE}/ModelStreamInfer`, asItIs, asItIs, await metadataOf(entries));
  stream.on("data", () => undefined).on("error", () => undefined);
  stream.end(infer);
  return new Promise((resolve) => stream.once("status", ({ code }) => resolve(status[code] ?? "")));
}

describe("what tenants may", () => {
  const as = async (consumer: string) => ({ authorization: `Bearer ${await stand().key(consumer)}` });

  it("is to call their models alone, streams included", async () => {
    const reader = await as("reader");
    expect(await call("ModelInfer", infer, reader)).toBe("PERMISSION_DENIED");
    expect(await streamStatus(reader)).toBe("PERMISSION_DENIED");
    expect(await call("ModelInfer", infer, { ...reader, "x-model": "other" })).toEqual(Buffer.alloc(0));
  });

  it("is counted over gRPC and HTTP together, streams by themselves", async () => {
    const batch = await as("batch");
    // Both counts begin and end with the minute of the clock.
    const left = 60_000 - (Date.now() % 60_000);
    await new Promise((resolve) => setTimeout(resolve, left < 20_000 ? left + 500 : 0));
    const overHttp = async () =>
      (await stand().request({ path: "/ranking/v2/models/vector/ready", consumer: "batch" })).status;
    expect(vectorOf(await call("ModelInfer", infer, batch))).toEqual([5, 1]);
    expect(await overHttp()).toBe(200);
    expect(vectorOf(await call("ModelInfer", infer, batch))).toEqual([5, 1]);
    expect(await call("ModelInfer", infer, batch)).toBe("UNAVAILABLE");
    expect(await overHttp()).toBe(429);
    const streams: string[] = [];
    for (let count = 0; count <= PER_MINUTE; count += 1) {
      streams.push(await streamStatus(batch));
    }
    expect(streams).toEqual([...Array(PER_MINUTE).fill("OK"), "UNAVAILABLE"]);
  });
});

it.each([
  ...["RepositoryIndex", "RepositoryModelLoad", "RepositoryModelUnload", "TraceSetting", "LogSettings"],
  ...["SystemSharedMemoryRegister", "CudaSharedMemoryRegister", "ModelConfig", "ModelStatistics", "modelinfer"],
])("has no way to %s", async (name) => {
  expect(await call(name, Buffer.alloc(0), { "x-model": "other" })).toBe("UNIMPLEMENTED");
  expect(reached.map(({ ":path": path }) => path)).not.toContain(`${SERVICE}/${name}`);
});

it("refuses messages that are larger than bodies may be", async () => {
  const large = inferRequest({ model: "vector", input: "text", text: "x".repeat(2 * BODY_LIMIT) });
  // Of 413 gRPC knows nothing (Envoy's Grpc::Utility::httpToGrpcStatus).
  expect(await call("ModelInfer", large)).toBe("UNKNOWN");
});

it("asks Triton over gRPC whether it is well", async () => {
  const isWell = async () => {
    const stats = await stand().proxies[0]?.stats("grpc-ranking.*health_check\\.(success|failure)");
    const values = [...(stats ?? [])];
    return values.filter(([name, value]) => name.endsWith("success") && value > 0).length === 2 ? values : undefined;
  };
  const values = await waitFor("health checks", isWell);
  expect(values.filter(([name, value]) => name.endsWith("failure") && value > 0)).toEqual([]);
});

it("is what the controllers accept", async () => {
  const conditions = await stand().conditions();
  expect(conditions.filter((condition) => condition.object.includes("grpc")).length).toBeGreaterThan(6);
  expect(conditions.filter((condition) => condition.status !== "True")).toEqual([]);
});
