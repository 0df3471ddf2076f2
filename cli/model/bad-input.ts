/** Input that the user can correct; its message is all they see. */
export class BadInput extends Error {}
