/** A real Triton with the command line that is rendered for a model: only ports, paths and back ends of the machine differ. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";
import { ServerProcess } from "../model-control/registry/server-process";

/** Flags of ports, in the order of `Ports`. */
const PORT_FLAGS = ["--http-port", "--grpc-port", "--metrics-port"] as const;

/** Flags of the pinned release that the part, which is older, does not have: the test holds this list to what it says. */
export const NEWER_FLAGS = ["--grpc-infer-thread-count"];

/** Flags that the part says it has. */
export function flagsOfPart(): Set<string> {
  const { stdout, stderr } = spawnSync(requirePart("tritonserver"), ["--help"], { encoding: "utf8" });
  return new Set(`${stdout}${stderr}`.match(/^ {2}--[\w-]+/gm)?.map((flag) => flag.trim()));
}

export interface RealTriton {
  readonly process: ServerProcess;
  /** Of its HTTP API. */
  readonly url: string;
  /** Port of its gRPC API, on loopback. */
  readonly grpcPort: number;
  readonly metricsUrl: string;
  stop(): Promise<void>;
}

/**
 * @param args as they are rendered, with folders of this machine.
 * @throws Error with its log where it does not get ready.
 */
export async function startTriton(args: readonly string[]): Promise<RealTriton> {
  const ports = await freePorts(PORT_FLAGS.length);
  const [http = 0, grpcPort = 0, metrics = 0] = ports;
  const url = `http://127.0.0.1:${http}`;
  const process = await ServerProcess.start((folder) => ({
    command: requirePart("tritonserver"),
    args: [...withPorts(args, ports), `--backend-directory=${backends(folder)}`],
    ready: async () => (await fetch(`${url}/v2/health/ready`)).status === 200,
  }));
  return { process, url, grpcPort, metricsUrl: `http://127.0.0.1:${metrics}/metrics`, stop: () => process.stop() };
}

/** What it prints where it does not start. */
export async function refusalOf(args: readonly string[], folder: string): Promise<string> {
  const ports = await freePorts(PORT_FLAGS.length);
  const words = [...withPorts(args, ports), `--backend-directory=${backends(mkdtempSync(join(folder, "refused-")))}`];
  const { status, stdout, stderr } = spawnSync(requirePart("tritonserver"), words, {
    encoding: "utf8",
    timeout: 30_000,
  });
  return `ended with ${status}\n${stdout}${stderr}`;
}

function withPorts(args: readonly string[], ports: readonly number[]): string[] {
  const known = args.filter((word) => !NEWER_FLAGS.some((flag) => word.startsWith(`${flag}=`)));
  return known.map((word) => {
    const index = PORT_FLAGS.findIndex((flag) => word.startsWith(`${flag}=`));
    return index < 0 ? word : `${PORT_FLAGS[index]}=${ports[index]}`;
  });
}

/**
 * The Python back end as an image has it: the part holds a stub for each version of Python apart, and the stub finds numpy
 * beside itself alone.
 */
function backends(folder: string): string {
  const packages = join(dirname(requirePart("tritonserver")), "../venv/lib/python3.11/site-packages");
  const server = join(packages, "pytriton/tritonserver");
  const python = join(folder, "backends/python");
  mkdirSync(python, { recursive: true });
  const parts = {
    "libtriton_python.so": join(server, "backends/python/libtriton_python.so"),
    "triton_python_backend_utils.py": join(server, "backends/python/triton_python_backend_utils.py"),
    triton_python_backend_stub: join(server, "python_backend_stubs/3.11/triton_python_backend_stub"),
    numpy: join(packages, "numpy"),
    "numpy.libs": join(packages, "numpy.libs"),
  };
  for (const [name, target] of Object.entries(parts)) {
    symlinkSync(target, join(python, name));
  }
  return dirname(python);
}
