/** How the requests of a session stay at one replica: consistent hashing, of which Envoy Gateway 1.9 has Maglev alone. */
import type { SessionKey } from "../../planner/affinity";
import type { BackendPart } from "./backend-policies";
import type { Share } from "./shares";

/** Header in which clients name their session. Who sends none is balanced at random: so does Envoy's Maglev without a hash. */
export const SESSION_HEADER = "x-session-id";

/** Cookie that the gateway makes for who has none. */
export const SESSION_COOKIE = "inference-session";

/** A working day, seconds: what engines keep of a prompt is gone by then. */
const COOKIE_SECONDS = 8 * 3600;

/** Slots of the table that maps hashes to replicas: Envoy's own number, written out for server-side apply. A prime. */
const TABLE_SIZE = 65_537;

type ConsistentHash = NonNullable<NonNullable<BackendPart["loadBalancer"]>["consistentHash"]>;

const hashed = (header: string): Readonly<Record<SessionKey, ConsistentHash>> => ({
  header: { type: "Headers", headers: [{ name: header }], tableSize: TABLE_SIZE },
  cookie: {
    type: "Cookie",
    cookie: {
      name: SESSION_COOKIE,
      ttl: `${COOKIE_SECONDS}s`,
      // One for all models and paths. Envoy adds HttpOnly to the cookies that it makes.
      attributes: { Path: "/", Secure: "", SameSite: "Strict" },
    },
    tableSize: TABLE_SIZE,
  },
});

/**
 * What a model whose sessions stay at a replica asks of its routes: nothing while revisions share its requests. Of the weights of
 * Backends Maglev knows nothing: a canary next to four replicas would get a fifth, whatever it was promised. With weights of
 * zones, which it knows, Envoy Gateway makes a cluster of each Backend, which the AI gateway leaves without its filter
 * (`NeedsClusterPerSetting` in internal/ir/xds.go of 1.9; `maybeModifyCluster` in post_translate_modify.go of 1.0).
 *
 * @param shares of all its revisions, as its routes have them.
 * @param header in which clients name their session.
 */
export function sessionPart(
  key: SessionKey | undefined,
  shares: readonly Share[],
  header = SESSION_HEADER,
): BackendPart | undefined {
  const taking = shares.filter(({ weight }) => weight > 0);
  return key === undefined || taking.length > 1
    ? undefined
    : { loadBalancer: { type: "ConsistentHash", consistentHash: hashed(header)[key] } };
}
