import { kindOf, ONE_LINE } from '../model';
import type { Schema } from '@shell/settings';
import { ChoiceListEditor, MapEditor, ObjectEditor, ObjectListEditor, PlainListEditor } from './compound';
import { NumberEditor, SelectEditor, TextEditor, ToggleEditor } from './simple';
import type { EditorProps } from './useDraft';

/** Whether the editor needs the row's whole width, below the description. */
export const isWide = (schema: Schema) =>
  ['list', 'map', 'object'].includes(kindOf(schema)) ||
  (kindOf(schema) === 'text' && (schema.maxLength ?? ONE_LINE + 1) > ONE_LINE);

/** The editor that fits the schema. */
export function Editor(props: EditorProps) {
  switch (kindOf(props.schema)) {
    case 'toggle':
      return <ToggleEditor {...props} />;
    case 'select':
      return <SelectEditor {...props} />;
    case 'number':
      return <NumberEditor {...props} />;
    case 'text':
      return <TextEditor {...props} />;
    case 'map':
      return <MapEditor {...props} />;
    case 'object':
      return <ObjectEditor {...props} Editor={Editor} />;
    case 'list': {
      const kind = kindOf(props.schema.items ?? {});
      if (kind === 'select') return <ChoiceListEditor {...props} />;
      return kind === 'object' ? <ObjectListEditor {...props} Editor={Editor} /> : <PlainListEditor {...props} />;
    }
    case 'unknown':
      return <span className="field-help">Can't be edited here. Use the command line.</span>;
  }
}
