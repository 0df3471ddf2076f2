/** Private suffixes: reserved (.internal, RFC 6762, RFC 8375), or in common use (.corp, .lan). */
const PRIVATE_NAME = /\.(internal|local|corp|lan|home\.arpa)$/;

/** Whether a lower-case DNS name is private: not publicly resolvable or certifiable. */
export function isPrivateName(host: string): boolean {
  return PRIVATE_NAME.test(host);
}
