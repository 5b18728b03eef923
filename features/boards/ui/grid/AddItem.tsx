import { useState } from 'react';

/** The line below a table that makes an item of what is typed. */
export function AddItem({ onAdd }: { onAdd: (name: string) => void }) {
  const [name, setName] = useState('');
  return (
    <form
      className="grid-add"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === '') return;
        onAdd(name.trim());
        setName('');
      }}
    >
      <input className="grid-add-input" aria-label="Add an item" placeholder="Add an item" value={name} onChange={(event) => setName(event.target.value)} />
    </form>
  );
}
