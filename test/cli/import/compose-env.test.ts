/** Compose files whose values stand in `.env` and in files of env_file. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { withEnvFiles } from "../../../cli/import/compose-env";
import { type Imported, importDocuments } from "../../../cli/import/import-files";
import { documentsOf } from "../../../cli/import/read-documents";
import { reportJson, reportText } from "../../../cli/import/report-text";
import { modelsOf } from "./imported";

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "compose-env-")), "project");
  mkdirSync(folder);
});
afterEach(() => rmSync(dirname(folder), { recursive: true }));

function imported(service: Record<string, unknown>): Promise<Imported> {
  const text = stringify({ services: { chat: { image: "vllm/vllm-openai:v0.33.0", gpus: "all", ...service } } });
  const documents = documentsOf("compose.yaml", text).map((document) => withEnvFiles(document, folder));
  return importDocuments("imported", documents, { create: false }, folder);
}

const COMMAND = `--model \${MODEL} --max-model-len \${LENGTH:-4096} --max-num-seqs \${SEQS:-8} --api-key \${CHAT_API_KEY}`;

describe(".env next to a compose file", () => {
  it("fills in references, and defaults where it sets nothing", async () => {
    writeFileSync(
      join(folder, ".env"),
      "# models\nexport MODEL='Qwen/Qwen3-8B' # chat\nSEQS=16   # many\nCHAT_API_KEY=plain-word\n",
    );
    const result = await imported({ command: COMMAND });
    expect(modelsOf(result).chat).toMatchObject({
      model: "qwen3-8b",
      contextTokens: 4096,
      vllm: { maxNumSeqs: 16 },
    });
    expect(reportText(result)).toContain(".env next to it is read");
  });

  it("shows no secret of it, and asks for none in the file", async () => {
    writeFileSync(join(folder, ".env"), "MODEL=Qwen/Qwen3-8B\nCHAT_API_KEY=plain-word\nLENGTH=hf_secret\n");
    const result = await imported({ command: COMMAND, env_file: ".env" });
    const all = `${result.settled?.text}${reportText(result)}${reportJson("out", result)}`;
    expect(all).not.toMatch(/plain-word|hf_secret/);
    expect(all).toContain("--api-key: keys are the gateway's");
    expect(all).not.toMatch(/--api-key[^\n]*write it into the file/);
  });
});

describe("env_file", () => {
  const command = "--model Qwen/Qwen3-8B --max-model-len 4096";

  it.each([
    ["a path", "vllm.env", {}],
    ["a list", ["./vllm.env"], { VLLM_LOGGING_LEVEL: "INFO" }],
    ["a mapping", [{ path: "vllm.env", required: false }], ["VLLM_LOGGING_LEVEL=INFO"]],
  ])("%s: its variables are those of environment, which come first", async (_, env_file, environment) => {
    writeFileSync(join(folder, "vllm.env"), "VLLM_LOGGING_LEVEL=DEBUG\nOMP_NUM_THREADS=4\nHF_TOKEN=hf_secret\n");
    const result = await imported({ command, env_file, environment });
    const isStated = Object.keys(environment).length > 0;
    expect(modelsOf(result).chat?.env).toEqual({
      VLLM_LOGGING_LEVEL: isStated ? "INFO" : "DEBUG",
      OMP_NUM_THREADS: "4",
    });
    expect(result.entries.map(({ to }) => to)).toContain("huggingFaceToken");
    expect(reportText(result)).not.toContain("hf_secret");
  });

  it.each(["../outside.env", "link.env", "/etc/hostname", "missing.env"])(
    "reads nothing of %s, and says so",
    async (name) => {
      writeFileSync(join(dirname(folder), "outside.env"), "OMP_NUM_THREADS=4\n");
      symlinkSync(join(dirname(folder), "outside.env"), join(folder, "link.env"));
      const result = await imported({ command, env_file: name });
      expect(modelsOf(result).chat).not.toHaveProperty("env");
      expect(reportText(result)).toContain("services.chat.env_file: a file that is missing, or outside");
    },
  );
});

describe("services and variables", () => {
  it("names the section that installs Open WebUI", async () => {
    const text = stringify({
      services: {
        chat: { image: "vllm/vllm-openai:v0.33.0", gpus: "all", command: "--model Qwen/Qwen3-8B --max-model-len 4096" },
        ui: { image: "ghcr.io/open-webui/open-webui:main" },
      },
    });
    const result = await importDocuments("imported", documentsOf("compose.yaml", text), { create: false }, folder);
    expect(reportText(result)).toMatch(/services\.ui: the section openWebUi installs Open WebUI/);
  });

  it("keeps PYTHONHASHSEED, by which pods agree on the hashes of prefixes", async () => {
    const command = "--model Qwen/Qwen3-8B --max-model-len 4096";
    const result = await imported({ command, environment: { PYTHONHASHSEED: "0" } });
    expect(modelsOf(result).chat?.env).toEqual({ PYTHONHASHSEED: "0" });
    expect(result.settled?.decision).toMatchObject({ kind: "planned", refusals: [] });
  });
});
