/** Ends of names that the public DNS does not resolve: reserved (.internal, RFC 6762, RFC 8375), or in common use (.corp, .lan). */
const PRIVATE_NAME = /\.(internal|local|corp|lan|home\.arpa)$/;

/** Whether a DNS name in lower case is of a private network: no public resolver finds it, and no public authority certifies it. */
export function isPrivateName(host: string): boolean {
  return PRIVATE_NAME.test(host);
}
