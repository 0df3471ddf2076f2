/** Secrets of a file are nowhere: not in the environment, in the account or on the terminal. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { main } from "../../../cli/import";
import { reportJson, reportText } from "../../../cli/import/report-text";
import { runPiped, useFolder } from "../run";
import { importText } from "./imported";
import { kserve } from "./small-files";

const SECRET = "SECRETVALUE";
const ARGS = ["--model_id=Qwen/Qwen2.5-7B-Instruct", "--max-model-len=4096"];

const service = (model: Record<string, unknown>, predictor: Record<string, unknown> = {}) =>
  kserve({
    model: {
      modelFormat: { name: "huggingface" },
      args: ARGS,
      resources: { limits: { "nvidia.com/gpu": "1" } },
      ...model,
    },
    ...predictor,
  });
const flag = (...words: string[]) => service({ args: [...ARGS, ...words] });
const variable = (name: string, value: string, ...words: string[]) =>
  service({ args: [...ARGS, ...words], env: [{ name, value }] });
const init = (...words: string[]) =>
  service({}, { initContainers: [{ name: "i", image: "busybox:1.36", command: words }] });

const FILES: Readonly<Record<string, string>> = {
  "a flag": flag("--api-key", SECRET),
  "a flag with the value behind it": flag(`--hf-token=${SECRET}`),
  "a key of JSON": flag(`--override-generation-config={"api_token":"${SECRET}"}`),
  "a deeper key of JSON": flag(`--kv-transfer-config={"kv_connector_extra_config":{"password":"${SECRET}"}}`),
  "an address that is given as a reason": flag(`--chat-template=https://h/t?sig=${SECRET}`),
  "a user of an address": flag(`--chat-template=https://${SECRET}@h/t`),
  "a variable": variable("DB_PASSWORD", SECRET),
  "a token of a server": variable("NCCL_X", `eyJhbGciOiJIUzI1NiJ9.${SECRET}.x`),
  "a private key": variable("NCCL_X", `-----BEGIN RSA PRIVATE KEY-----\n${SECRET}`),
  "a variable that a flag refers to": variable("FOO_TOKEN", SECRET, "--served-model-name=$(FOO_TOKEN)"),
  "a variable within a flag": variable("FOO_TOKEN", SECRET, "--otlp-traces-endpoint=http://h/$(FOO_TOKEN)"),
  "a user of an image": service({ image: `user:${SECRET}@reg.example.com/vllm/vllm-openai:v0.33.0` }),
  "an annotation of JSON": service({}, { annotations: { "x/conf": `{"API_KEY":"${SECRET}"}` } }),
  "an annotation of YAML": service({}, { annotations: { "x/conf": `password: ${SECRET}` } }),
  "a header of an init container": init("sh", "-c", `curl -H "X-Api-Key: ${SECRET}" h`),
  "JSON of an init container": init("sh", "-c", `echo '{"password":"${SECRET}"}'`),
  "a copy of what was applied": stringify({
    apiVersion: "kubeai.org/v1",
    kind: "Model",
    metadata: {
      name: "a",
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": `[["API_KEY","${SECRET}"]]` },
    },
    spec: {
      url: "hf://Qwen/Qwen3-8B",
      engine: "VLLM",
      resourceProfile: "nvidia-gpu-l4:1",
      args: ["--max-model-len=4096"],
    },
  }),
};

it("is left out of a reason that quotes it", async () => {
  const result = await importText(
    stringify({
      ollama: { models: { pull: ["llama3.1"] } },
      ingress: { enabled: true, hosts: [{ host: `user:${SECRET}@h.example.com` }] },
    }),
  );
  expect(result.settled?.decision.kind).toBe("mistakes");
  expect(`${reportText(result)}${reportJson("out", result)}`).not.toContain(SECRET);
});

describe("a secret", () => {
  const folder = useFolder();

  it.each(Object.entries(FILES))("in %s is copied nowhere", async (name, text) => {
    const file = join(folder, name.replaceAll(" ", "-"));
    const [out, report] = [join(folder, "Pulumi.secret.yaml"), `${file}.json`];
    writeFileSync(file, text);
    const { out: shown, err } = await runPiped(main, [file, "--out", out, "--report", report, "--force"]);
    expect(existsSync(out)).toBe(true);
    const all = [shown, err, readFileSync(out, "utf8"), readFileSync(report, "utf8")];
    expect(all.filter((each) => each.includes(SECRET))).toEqual([]);
  });
});
