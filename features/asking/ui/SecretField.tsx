/** A field for secrets, masked until you show it. */
import { useState } from 'react';
import { IconButton, TextField } from '@shell/components';

interface SecretFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onEnter?: () => void;
  help?: string | undefined;
  error?: string | undefined;
  /** Whether it has several lines, such as a private key. Enter starts a new line. */
  isLong?: boolean;
  takesFocus?: boolean;
}

/** Masked, with a button that shows the text. Browsers neither store nor fill it in. */
export function SecretField({
  label,
  value,
  onChange,
  onEnter,
  help,
  error,
  isLong = false,
  takesFocus = false,
}: SecretFieldProps) {
  const [isShown, setShown] = useState(false);
  return (
    <div className="secret-field" data-masked={(isLong && !isShown) || undefined}>
      <TextField
        label={label}
        value={value}
        onChange={onChange}
        help={help}
        error={error}
        rows={isLong ? 6 : 1}
        type={isLong || isShown ? 'text' : 'password'}
        autoComplete="off"
        autoCorrect="off"
        spellCheck="false"
        mono
        autoFocus={takesFocus}
        onInputKeyDown={(event) => {
          if (event.key === 'Enter' && !isLong && !event.nativeEvent.isComposing) onEnter?.();
        }}
      />
      <IconButton
        icon="eye"
        label={isShown ? `Hide ${label}` : `Show ${label}`}
        isActive={isShown}
        onPress={() => setShown(!isShown)}
      />
    </div>
  );
}
