import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { main } from "@pulumi/pulumi/provider";
import { type Properties, plain } from "./secrets";

/**
 * Stands in for `command:local:Command` of the official `command` provider 1.2.1, whose plugin is not to be had here. As in its
 * source (provider/pkg/provider/local/commandController.go and commandOutputs.go, read 2026-11-23): a changed argument runs
 * `update`, or `create` where there is none; what is deleted runs the `delete` of the state with all else that the state holds;
 * a command that fails leaves nothing of its run in the state, and prints itself and both of its streams.
 */
interface LocalCommand {
  readonly create?: string;
  readonly update?: string;
  readonly delete?: string;
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly addPreviousOutputInEnv?: boolean;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** What a run adds to the state. */
const OUTPUTS = ["stdout", "stderr"];

function run(command: string | undefined, state: LocalCommand): Promise<Properties> {
  const { stdin, environment = {}, addPreviousOutputInEnv = true, stdout = "", stderr = "" } = state;
  if (command === undefined) {
    return Promise.resolve({ stdout, stderr });
  }
  const previous = {
    ...(stdout !== "" && { PULUMI_COMMAND_STDOUT: stdout }),
    ...(stderr !== "" && { PULUMI_COMMAND_STDERR: stderr }),
  };
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], {
      env: { ...process.env, ...environment, ...(addPreviousOutputInEnv && previous) },
    });
    const said = { stdout: "", stderr: "", both: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        said[stream] += text;
        said.both += text;
      });
    }
    child.once("error", reject);
    child.once("close", (status, signal) => {
      const how = status === null ? `signal: ${signal}` : `exit status ${status}`;
      if (status === 0) {
        resolve({ stdout: said.stdout.replace(/\n$/, ""), stderr: said.stderr.replace(/\n$/, "") });
      } else {
        reject(new Error(`${how}: running ${JSON.stringify(command)}:\n${said.both}`));
      }
    });
    // A command that ends without reading its input is no failure.
    child.stdin.on("error", () => {}).end(stdin ?? "");
  });
}

function inputsOf(state: Properties): Properties {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !OUTPUTS.includes(key) && !key.startsWith("__")));
}

void main(
  {
    version: "1.2.1",
    diff: async (_id, _urn, olds: Properties, news: Properties) => {
      const [before, after] = [plain(inputsOf(olds)), plain(inputsOf(news))];
      const keys = Object.keys({ ...(before as object), ...(after as object) });
      const changed = keys.filter((key) => !isDeepStrictEqual((before as Properties)[key], (after as Properties)[key]));
      return { changes: changed.length > 0, replaces: changed.filter((key) => key === "triggers") };
    },
    create: async (_urn, inputs: Properties) => {
      const state = plain(inputs) as LocalCommand;
      return { id: randomBytes(8).toString("hex"), outs: { ...inputs, ...(await run(state.create, state)) } };
    },
    update: async (_id, _urn, olds: Properties, news: Properties) => {
      const { stdout, stderr } = plain(olds) as LocalCommand;
      const state = { ...(plain(news) as LocalCommand), stdout, stderr };
      return { outs: { ...news, ...(await run(state.update ?? state.create, state)) } };
    },
    delete: async (_id, _urn, props: Properties) => {
      const state = plain(props) as LocalCommand;
      await run(state.delete, state);
    },
    read: async (id, _urn, props: Properties) => ({ id, props }),
  },
  process.argv.slice(2),
);
