/** A list that grows and shrinks in a form: a new item takes the focus; after a removal the Add button does. */
import { useRef, useState, type ReactNode } from 'react';
import { Button } from '../../../look/button.tsx';
import styles from '../form.module.css';

type ListProps<Item> = {
  title: string;
  /** Singular noun for an item; labels add its position, as in `Filter 2`. */
  noun: string;
  items: readonly Item[];
  onChange: (items: readonly Item[]) => void;
  /** Initial value of an added item. */
  newItem: Item;
  addLabel: string;
  /** A sentence for an empty list. */
  empty?: string;
  /** An error about the list as a whole, and not about one item. */
  error: string | undefined;
  /** @param isNew whether the first field of the item takes the focus */
  renderItem: (item: Item, index: number, isNew: boolean) => ReactNode;
  children?: ReactNode;
};

export function ItemList<Item>(props: ListProps<Item>) {
  const { title, noun, items, onChange, newItem, addLabel, empty, error, renderItem, children } = props;
  const adding = useRef<HTMLButtonElement>(null);
  /** Index of the item that was added last. */
  const [added, setAdded] = useState<number>();
  return (
    <section aria-label={title} className={styles.part}>
      <h3>{title}</h3>
      {items.length > 0 && (
        <ol className={styles.items}>
          {items.map((item, index) => (
            // Items have no ids, so their index is the key.
            <li key={index} className={styles.item}>
              <div
                role="group"
                aria-label={`${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${index + 1}`}
                className={styles.fields}
              >
                {renderItem(item, index, added === index)}
              </div>
              <Button
                kind="quiet"
                aria-label={`Remove ${noun} ${index + 1}`}
                onPress={() => {
                  setAdded(undefined);
                  onChange(items.filter((_, at) => at !== index));
                  adding.current?.focus();
                }}
              >
                Remove
              </Button>
            </li>
          ))}
        </ol>
      )}
      {items.length === 0 && empty && <p className="quiet">{empty}</p>}
      {error !== undefined && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
      <div>
        <Button
          ref={adding}
          onPress={() => {
            setAdded(items.length);
            onChange([...items, newItem]);
          }}
        >
          {addLabel}
        </Button>
      </div>
      {children}
    </section>
  );
}
