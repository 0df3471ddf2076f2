import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { type ILanguageRuntimeServer, LanguageRuntimeService } from "@pulumi/pulumi/proto/language_grpc_pb";
import {
  GetRequiredPackagesResponse,
  type ProgramInfo,
  type RunPluginRequest,
  RunPluginResponse,
  type RunRequest,
  RunResponse,
} from "@pulumi/pulumi/proto/language_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";

/**
 * What of Pulumi's nodejs language host `preview`, `up` and policy packs need: it starts the SDK's own runners. The
 * engine passes its address, and reads the port from the first line of standard output.
 */
const engine = process.argv.at(-1) ?? "";
/** A program that has told the user what is wrong ends with this status. */
const ALREADY_REPORTED = 32;
let program: ChildProcess | undefined;

const handlers: Pick<ILanguageRuntimeServer, "getPluginInfo" | "getRequiredPackages" | "run" | "runPlugin"> = {
  getPluginInfo: (_call, callback) => {
    const info = new PluginInfo();
    info.setVersion("3.248.0");
    callback(null, info);
  },
  getRequiredPackages: (_call, callback) => callback(null, new GetRequiredPackagesResponse()),
  run: (call, callback) => {
    program = runProgram(call.request);
    program.once("exit", (code) => {
      const response = new RunResponse();
      response.setBail(code === ALREADY_REPORTED);
      if (code !== 0) {
        response.setError(`the program ended with exit status ${code}`);
      }
      callback(null, response);
    });
  },
  runPlugin: (call) => {
    const child = runPolicyPack(call.request);
    child.stdout?.on("data", (chunk: Buffer) => call.write(respond((response) => response.setStdout(chunk))));
    child.stderr?.on("data", (chunk: Buffer) => call.write(respond((response) => response.setStderr(chunk))));
    child.once("exit", (code) => {
      call.write(respond((response) => response.setExitcode(code ?? 1)));
      call.end();
    });
    call.once("cancelled", () => child.kill());
  },
};

function runProgram(request: RunRequest): ChildProcess {
  const info = request.getInfo();
  const args = [
    ...nodeArguments(info),
    runner(info, "run"),
    `--monitor=${request.getMonitorAddress()}`,
    `--engine=${engine}`,
    `--organization=${request.getOrganization()}`,
    `--project=${request.getProject()}`,
    `--stack=${request.getStack()}`,
    `--pwd=${request.getPwd()}`,
    `--parallel=${request.getParallel()}`,
    ...(request.getDryrun() ? ["--dry-run"] : []),
    info?.getEntryPoint() ?? ".",
    ...request.getArgsList(),
  ];
  return spawn(process.execPath, args, {
    cwd: request.getPwd(),
    env: {
      ...process.env,
      PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().toArray())),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
}

function runPolicyPack(request: RunPluginRequest): ChildProcess {
  const info = request.getInfo();
  const folder = info?.getProgramDirectory() ?? "";
  const env = request
    .getEnvList()
    .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]);
  return spawn(process.execPath, [...nodeArguments(info), runner(info, "run-policy-pack"), engine, folder], {
    // The pack reads its package.json from here.
    cwd: folder,
    env: { ...process.env, ...Object.fromEntries(env) },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** `runtime.options.nodeargs` of the project. */
function nodeArguments(info: ProgramInfo | undefined): string[] {
  const { nodeargs } = (info?.getOptions()?.toJavaScript() ?? {}) as { readonly nodeargs?: string };
  return nodeargs?.split(" ").filter((argument) => argument !== "") ?? [];
}

/** The runner of the SDK that the program itself depends on. */
function runner(info: ProgramInfo | undefined, name: string): string {
  const program = createRequire(join(info?.getProgramDirectory() ?? process.cwd(), "package.json"));
  return program.resolve(`@pulumi/pulumi/cmd/${name}`);
}

function respond(fill: (response: RunPluginResponse) => void): RunPluginResponse {
  const response = new RunPluginResponse();
  fill(response);
  return response;
}

// The engine holds the other end of standard input, which closes however the engine ends. The official host ends too;
// a program that lost its engine would go on for a minute, busy with errors that nobody reads.
process.stdin.resume().once("close", () => {
  program?.kill("SIGKILL");
  process.exit();
});

const server = new grpc.Server();
server.addService(LanguageRuntimeService, handlers);
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) {
    throw error;
  }
  console.log(port);
});
