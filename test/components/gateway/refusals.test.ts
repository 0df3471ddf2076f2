import { expect, it } from "vitest";
import { listenerRefusals } from "../../../components/gateway/refusals";

it("puts each of Envoy's refusals into OpenAI's shape, and no engine's", () => {
  const refusals = listenerRefusals({ maxRequestBytes: 32 * 2 ** 20 });
  expect(refusals.map(({ source }) => source)).toEqual(refusals.map(() => "Local"));
  const answers = refusals.map(({ match, response }) => {
    const { error } = JSON.parse(response?.body?.inline ?? "") as { readonly error: { readonly code: string } };
    return [match.statusCodes?.map(({ value }) => value), error.code, match.responseHeaders?.length ?? 0];
  });
  expect(answers).toEqual([
    [[401], "invalid_api_key", 0],
    // A token for another audience.
    [[403], "invalid_api_key", 1],
    [[403], "model_not_allowed", 0],
    [[408], "request_timeout", 0],
    [[413], "request_too_large", 0],
    [[503], "overloaded", 0],
    [[504], "timeout", 0],
    // An unknown model is told apart: its route answers with an object already.
    [[404], "unknown_url", 1],
  ]);
});

it("says how large a body may be", () => {
  const bodies = listenerRefusals({ maxRequestBytes: 4 * 2 ** 20 }).map(({ response }) => response?.body?.inline);
  expect(bodies.filter((body) => body?.includes("4 MiB"))).toHaveLength(1);
});
