/** The bytes are not a valid file of the format and compression. The message says what is invalid. */
export class UnreadableFile extends Error {}
