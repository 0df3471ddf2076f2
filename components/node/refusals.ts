/** Errors of the node itself: OpenAI's error object, which clients can parse, as at the gateway. */
import { NOT_HEALTH } from "./access-log";

interface Said {
  readonly message: string;
  readonly type: "invalid_request_error" | "server_error";
  readonly code: string;
}

/** Envoy's or the route's text of this answer. */
const OWN_WORDS = "%LOCAL_REPLY_BODY%";

const UNKNOWN_PATH: Said = { message: OWN_WORDS, type: "invalid_request_error", code: "unknown_url" };
const WRONG_METHOD: Said = { message: OWN_WORDS, type: "invalid_request_error", code: "method_not_allowed" };
const MALFORMED: Said = { message: OWN_WORDS, type: "invalid_request_error", code: "bad_request" };
const TOO_SLOW: Said = {
  message: "The request did not arrive in time.",
  type: "invalid_request_error",
  code: "request_timeout",
};
const ENGINE_GONE: Said = {
  message: "The engine of this node does not answer.",
  type: "server_error",
  code: "engine_unavailable",
};
const SILENT: Said = { message: "The model did not answer in time.", type: "server_error", code: "timeout" };
const OVERLOADED: Said = {
  message: "This node takes no more requests now. Try again later.",
  type: "server_error",
  code: "overloaded",
};

/** Envoy's response flags for failed, broken or exhausted engine connections. */
const ENGINE_FLAGS = ["UF", "UC", "UH", "UR", "LR"] as const;

/**
 * The first match applies. Excludes `/health`, although Envoy creates that answer too
 * (health-route.ts).
 */
export const LOCAL_REPLIES = {
  mappers: [
    mapper(status(404), UNKNOWN_PATH),
    mapper(status(405), WRONG_METHOD),
    mapper(status(408), TOO_SLOW),
    mapper(status(504), SILENT),
    mapper({ response_flag_filter: { flags: [...ENGINE_FLAGS] } }, ENGINE_GONE),
    mapper(status(503), OVERLOADED),
    mapper({ status_code_filter: comparison("GE", 400) }, MALFORMED),
  ],
} as const;

function mapper(condition: object, { message, type, code }: Said) {
  return {
    filter: { and_filter: { filters: [{ header_filter: { header: NOT_HEALTH } }, condition] } },
    body_format_override: {
      json_format: { error: { message, type, param: null, code } },
      content_type: "application/json",
    },
  };
}

function status(code: number) {
  return { status_code_filter: comparison("EQ", code) };
}

function comparison(op: "EQ" | "GE", code: number) {
  return {
    comparison: { op, value: { default_value: code, runtime_key: `node.refusal_${op.toLowerCase()}_${code}` } },
  };
}
