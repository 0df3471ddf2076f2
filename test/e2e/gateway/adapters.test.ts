/** Consumers that may call LoRA adapters alone, through the real gateway, on each way to their model. */
import { describe, expect, it } from "vitest";
import type { GatewayRequest } from "../../../rehearsal/cluster/gateway/request";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { changedRun } from "../../stacks/run";
import { sharedBySuite } from "../shared-by-suite";

const CHAT = "chat";

const stand = sharedBySuite(async () => {
  const model = { model: "qwen3-8b", contextTokens: 8192, concurrency: 2 };
  const { resources } = await changedRun("edge-nvidia", {
    models: { [CHAT]: { ...model, adapters: { acme: "s3://models/acme", zenith: "s3://models/zenith" } } },
    gateway: {
      hostname: "inference.example.internal",
      tls: { kind: "secret", secretName: "gateway-tls" },
      consumers: { all: {}, acme: { models: ["acme"] }, zenith: { models: ["zenith", CHAT] } },
    },
  });
  const gateway = await GatewayStand.start(resources);
  await gateway.serve(CHAT, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      const { model } = JSON.parse(Buffer.concat(chunks).toString()) as { model: string };
      const choices = [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }];
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const answer = { id: "1", object: "chat.completion", created: 1, model, choices, usage };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await waitFor(
    "the gateway to answer",
    async () => (await gateway.request(chat("all", CHAT))).status === 200 || undefined,
    60,
  );
  return gateway;
});

const PATHS = ["/v1/chat/completions", `/${CHAT}/v1/chat/completions`];
const messages = [{ role: "user", content: "is it?" }];

function chat(consumer: string, model: string, path = PATHS[0]): GatewayRequest {
  return { path: path ?? "", json: { model, messages }, consumer };
}

async function answer(request: GatewayRequest): Promise<string> {
  const { status, text } = await stand().request(request);
  const { error } = JSON.parse(text) as { error?: { code: string } };
  return error === undefined ? String(status) : `${status} ${error.code}`;
}

const REFUSED = "403 model_not_allowed";

describe.each(PATHS)("at %s", (path) => {
  it.each<[string, Record<string, string>]>([
    ["all", { [CHAT]: "200", acme: "200", zenith: "200" }],
    ["acme", { [CHAT]: REFUSED, acme: "200", zenith: REFUSED }],
    ["zenith", { [CHAT]: "200", acme: REFUSED, zenith: "200" }],
  ])("%s calls what it may", async (consumer, right) => {
    const answers: Record<string, string> = {};
    for (const model of Object.keys(right)) {
      answers[model] = await answer(chat(consumer, model, path));
    }
    expect(answers).toEqual(right);
  });

  it("a header of the client's names no model", async () => {
    const headers = { "x-ai-eg-model": "acme" };
    expect(await answer({ ...chat("acme", "zenith", path), headers })).toBe(REFUSED);
  });
});
