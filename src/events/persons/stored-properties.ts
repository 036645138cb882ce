import type { Properties } from './effects.ts';

/** The properties of a person as JSON text, which is parsed only once, on first use. */
export class StoredProperties {
  readonly text: string;
  #value: Properties | undefined;
  #bytes: Buffer | undefined;
  #byteLength: number | undefined;

  /** @param value the object that the text was made of, if it is known */
  constructor(text: string, value?: Properties) {
    this.text = text;
    this.#value = value;
  }

  /** The parsed object, which is shared and must not be changed. */
  get value(): Properties {
    return (this.#value ??= JSON.parse(this.text) as Properties);
  }

  /** The text in UTF-8. */
  get bytes(): Buffer {
    return (this.#bytes ??= Buffer.from(this.text));
  }

  /** Length of `bytes`. */
  get byteLength(): number {
    return (this.#byteLength ??= Buffer.byteLength(this.text));
  }
}

export const NO_PROPERTIES = new StoredProperties('{}');
