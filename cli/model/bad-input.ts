/** Input that the user can correct; they see only its message. */
export class BadInput extends Error {}
